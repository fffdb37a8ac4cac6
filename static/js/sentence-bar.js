// @ts-check
// The reader's sentence: one field for every lab on the page, remembered in this browser, carried along course links.
import { setField } from "./set-field.js";
import { watchRow } from "./sticky-row.js";

const KEY = "sentence";
const store = { get: () => { try { return localStorage.getItem(KEY); } catch { return null; } },
  set: (/** @type {string} */ text) => { try { localStorage.setItem(KEY, text); } catch { /* private windows refuse; the address still carries it */ } } };

class SentenceBar extends HTMLElement {
  connectedCallback() {
    this.listen = new AbortController();
    const { signal } = this.listen;
    this.field = /** @type {HTMLTextAreaElement | null} */ (this.querySelector("[name=text]"));
    this.addEventListener("input", () => this.later(), { signal });
    this.addEventListener("submit", (event) => { event.preventDefault(); this.spread(); }, { signal });
    this.addEventListener("click", (event) => this.preset(event), { signal });
    this.field?.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.spread(); }
    }, { signal });
    document.addEventListener("click", (event) => this.carry(event), { signal, capture: true });
    document.addEventListener("sentence", (event) => this.take(/** @type {CustomEvent} */ (event).detail.text), { signal });
    this.seen = new IntersectionObserver((entries) => { for (const entry of entries) if (entry.isIntersecting) this.bring(entry.target); }, { rootMargin: "200px" });
    for (const lab of document.querySelectorAll(".lab")) this.seen.observe(lab);
    this.stuck = watchRow(this.querySelector(".sentence-row"));
    const kept = store.get();
    if (kept && this.field && !new URLSearchParams(location.search).has("text") && kept !== this.field.value) this.take(kept);
  }

  disconnectedCallback() {
    this.listen?.abort();
    this.seen?.disconnect();
    this.stuck?.disconnect();
    clearTimeout(this.wait);
  }

  later() {
    clearTimeout(this.wait);
    this.wait = setTimeout(() => this.spread(), 250);
  }

  /** @param {string} text */
  take(text) {
    if (!this.field || this.field.value === text) return;
    this.field.value = text;
    this.spread();
  }

  /** Hand the sentence to every lab: those in view ask at once, the others when they come into view. */
  spread() {
    clearTimeout(this.wait);
    const text = this.field?.value ?? "";
    if (text.trim()) store.set(text);
    document.dispatchEvent(new Event("sentence-changed"));
    for (const lab of document.querySelectorAll(".lab")) {
      this.seen?.unobserve(lab);
      this.seen?.observe(lab);
    }
  }

  /** @param {Element} lab */
  bring(lab) {
    const form = lab.querySelector("form.lab-form");
    if (!(form instanceof HTMLFormElement) || !this.field) return;
    const own = form.elements.namedItem("text");
    if (!own || !("value" in own) || own.value === this.field.value) return;
    setField(form, "text", this.field.value);
    setField(form, "token", "0");
    form.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** @param {MouseEvent} event */
  preset(event) {
    const link = event.target instanceof Element ? event.target.closest("[data-text]") : null;
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.take(link.getAttribute("data-text") ?? "");
  }

  /** Links inside the course take the sentence along. @param {MouseEvent} event */
  carry(event) {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    const text = this.field?.value.trim();
    if (!(link instanceof HTMLAnchorElement) || !text || link.origin !== location.origin || link.dataset.try !== undefined) return;
    if (link.pathname === location.pathname || !/^\/($|lessons\/)/.test(link.pathname)) return;
    const target = new URL(link.href);
    if (!target.searchParams.has("text")) target.searchParams.set("text", text);
    link.href = target.href;
  }
}

customElements.define("sentence-bar", SentenceBar);
