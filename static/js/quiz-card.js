// @ts-check
// A question whose answers explain themselves when chosen, right or wrong.

class QuizCard extends HTMLElement {
  connectedCallback() {
    this.listen = new AbortController();
    for (const why of this.querySelectorAll(".why")) why.toggleAttribute("hidden", true);
    for (const folded of this.querySelectorAll("details")) folded.toggleAttribute("hidden", true);
    this.addEventListener("change", (event) => this.explain(/** @type {HTMLInputElement} */ (event.target)), { signal: this.listen.signal });
    const chosen = this.querySelector("input:checked");
    if (chosen instanceof HTMLInputElement) this.explain(chosen);
  }

  disconnectedCallback() {
    this.listen?.abort();
  }

  /** @param {HTMLInputElement} answer */
  explain(answer) {
    for (const why of this.querySelectorAll(".why")) why.toggleAttribute("hidden", true);
    const why = document.getElementById(answer.getAttribute("aria-describedby") ?? "") ?? answer.closest("label")?.nextElementSibling;
    if (!(why instanceof HTMLElement)) return;
    why.hidden = false;
    why.setAttribute("role", "status");
    if (why.dataset.right === "true") this.dispatchEvent(new CustomEvent("quiz-right", { bubbles: true }));
  }
}

customElements.define("quiz-card", QuizCard);
