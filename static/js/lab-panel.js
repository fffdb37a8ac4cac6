// @ts-check
// Around one lab: sliders show their value, messages mark their field, what was unfolded stays unfolded, and a
// suggestion fills the form without a page load.
import { setField } from "./set-field.js";

/** @param {EventTarget | null} target */
const control = (target) => /** @type {HTMLInputElement | null} */ (target instanceof Element && target.matches("input, select, textarea") ? target : null);

class LabPanel extends HTMLElement {
  connectedCallback() {
    this.listen = new AbortController();
    const { signal } = this.listen;
    /** @type {Set<string>} */
    this.unfolded = new Set();
    for (const name of ["input", "lab:set"]) this.addEventListener(name, (event) => this.sayValue(control(event.target)), { signal });
    this.addEventListener("click", (event) => this.tryIt(event), { signal });
    this.addEventListener("toggle", (event) => this.remember(event.target), { signal, capture: true });
    this.addEventListener("htmx:before:request", () => this.busy(true), { signal });
    this.addEventListener("htmx:finally:request", () => this.busy(false), { signal });
    for (const name of ["htmx:error", "htmx:response:error"]) this.addEventListener(name, (event) => this.failed(/** @type {CustomEvent} */ (event)), { signal });
    document.addEventListener("token-choose", (event) => this.choose(/** @type {CustomEvent} */ (event).detail.token), { signal });
    this.watch = new MutationObserver(() => this.settle());
    this.watch.observe(this, { childList: true, subtree: true });
    this.settle();
  }

  disconnectedCallback() {
    this.listen?.abort();
    this.watch?.disconnect();
  }

  /** A word chosen anywhere becomes the one that looks, where this lab asks for one. @param {string} token from 0 */
  choose(token) {
    const form = this.querySelector("form.lab-form");
    if (!(form instanceof HTMLFormElement) || !form.elements.namedItem("token")) return;
    setField(form, "token", String(Number(token) + 1));
    form.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** @param {boolean} now */
  busy(now) {
    this.querySelector(".lab-result")?.setAttribute("aria-busy", String(now));
  }

  /** @param {HTMLInputElement | null} field */
  sayValue(field) {
    const output = field?.id && this.querySelector(`output[for="${CSS.escape(field.id)}"]`);
    if (output) output.textContent = field.value;
  }

  /** @param {EventTarget | null} folded */
  remember(folded) {
    const part = folded instanceof HTMLDetailsElement ? folded.dataset.part : undefined;
    if (!part || !(folded instanceof HTMLDetailsElement)) return;
    if (folded.open) this.unfolded?.add(part);
    else this.unfolded?.delete(part);
  }

  /** After a new answer: unfold what was unfolded, and mark each control whose message is not empty. */
  settle() {
    for (const folded of this.querySelectorAll("details[data-part]")) {
      if (folded instanceof HTMLDetailsElement && this.unfolded?.has(folded.dataset.part ?? "") && !folded.open) folded.open = true;
    }
    let wrong = false;
    for (const message of this.querySelectorAll(".field-message[id]")) {
      const said = Boolean(message.textContent?.trim());
      wrong ||= said;
      const name = message.getAttribute("data-for");
      const field = name === "text"
        ? document.querySelector("form.sentence [name=text]")
        : this.querySelector(`[aria-describedby~="${CSS.escape(message.id)}"]`);
      if (said) field?.setAttribute("aria-invalid", "true");
      else if (name !== "text" || !document.querySelector(".field-message[data-for=text]:not(:empty)")) field?.removeAttribute("aria-invalid");
    }
    this.querySelector(".lab-result")?.classList.toggle("is-stale", wrong);
  }

  /** The server did not answer, or stumbled: the old picture stays, and a line says so. @param {CustomEvent} event */
  failed(event) {
    const status = event.detail?.ctx?.response?.status ?? 0;
    const line = this.querySelector(".field-message[id$='--message']");
    if (!line || (status >= 400 && status < 500)) return;
    line.textContent = this.dataset.failed ?? "The server did not answer. What you see is its last answer; try again in a moment.";
  }

  /** @param {MouseEvent} event */
  tryIt(event) {
    const link = event.target instanceof Element ? event.target.closest("a[data-try]") : null;
    const form = this.querySelector("form.lab-form");
    if (!(link instanceof HTMLAnchorElement) || !(form instanceof HTMLFormElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const wanted = new URL(link.href).searchParams;
    for (const [name, value] of wanted) setField(form, name, value);
    form.dispatchEvent(new Event("input", { bubbles: true }));
    if (wanted.has("text")) document.dispatchEvent(new CustomEvent("sentence", { detail: { text: wanted.get("text") } }));
  }
}

customElements.define("lab-panel", LabPanel);
