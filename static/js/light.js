// @ts-check
// One token lit everywhere on the page: its chip, row, column, dot and arcs.

let lit = "";

/**
 * Light the token of this position, or none.
 * @param {string | null} token position in the sentence, as data-token says it
 */
export function light(token) {
  const next = token ?? "";
  if (next === lit) return;
  lit = next;
  for (const mark of document.querySelectorAll(".is-lit")) mark.classList.remove("is-lit");
  for (const drawing of document.querySelectorAll("svg.has-lit")) drawing.classList.remove("has-lit");
  if (next) {
    for (const mark of document.querySelectorAll(`[data-token~="${CSS.escape(next)}"]`)) {
      mark.classList.add("is-lit");
      mark.closest("svg")?.classList.add("has-lit");
    }
  }
  document.dispatchEvent(new CustomEvent("token-light", { detail: { token: next } }));
}

/**
 * Choose this token as the one that looks, in every lab that asks for one.
 * @param {string | null} token
 */
export function choose(token) {
  if (token !== null) document.dispatchEvent(new CustomEvent("token-choose", { detail: { token } }));
}
