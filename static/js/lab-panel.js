// @ts-check
// Around one lab: sliders show their value, messages mark their field, a suggestion fills the form without a page load.

/** @param {EventTarget | null} target */
const control = (target) => /** @type {HTMLInputElement | null} */ (target instanceof Element && target.matches("input, select, textarea") ? target : null);

/** Put a value into whatever the form calls by this name. @param {HTMLFormElement} form @param {string} name @param {string} value */
export function setField(form, name, value) {
  const field = form.elements.namedItem(name);
  if (field instanceof RadioNodeList) field.value = value;
  else if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = !["", "false", "0", "off"].includes(value);
  else if (field && "value" in field) field.value = value;
  else return;
  if (field instanceof Element) field.dispatchEvent(new Event("lab:set", { bubbles: true }));
}

class LabPanel extends HTMLElement {
  connectedCallback() {
    this.listen = new AbortController();
    const { signal } = this.listen;
    for (const name of ["input", "lab:set"]) this.addEventListener(name, (event) => this.sayValue(control(event.target)), { signal });
    this.addEventListener("click", (event) => this.tryIt(event), { signal });
    this.addEventListener("htmx:before:request", () => this.busy(true), { signal });
    this.addEventListener("htmx:finally:request", () => this.busy(false), { signal });
    document.addEventListener("htmx:after:swap", () => this.markMessages(), { signal });
    this.markMessages();
  }

  disconnectedCallback() {
    this.listen?.abort();
  }

  /** @param {boolean} now */
  busy(now) {
    this.querySelector(".lab-result")?.setAttribute("aria-busy", String(now));
  }

  /** @param {HTMLInputElement | null} field */
  sayValue(field) {
    if (!field?.id) return;
    const output = this.querySelector(`output[for="${CSS.escape(field.id)}"]`);
    if (output) output.textContent = field.value;
  }

  /** A message that is not empty marks the control which names it in aria-describedby. */
  markMessages() {
    for (const message of this.querySelectorAll(".field-message[id]")) {
      const field = this.querySelector(`[aria-describedby~="${CSS.escape(message.id)}"]`);
      if (message.textContent?.trim()) field?.setAttribute("aria-invalid", "true");
      else field?.removeAttribute("aria-invalid");
    }
  }

  /** @param {MouseEvent} event */
  tryIt(event) {
    const link = event.target instanceof Element ? event.target.closest("a[data-try]") : null;
    const form = this.querySelector("form.lab-form");
    if (!(link instanceof HTMLAnchorElement) || !(form instanceof HTMLFormElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const wanted = new URL(link.href).searchParams;
    for (const [name, value] of wanted) setField(form, name, value);
    if (wanted.has("text")) document.dispatchEvent(new CustomEvent("sentence", { detail: { text: wanted.get("text"), from: form } }));
    form.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

customElements.define("lab-panel", LabPanel);
