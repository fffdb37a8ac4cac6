// @ts-check
// Copies the text of another element, and says so on the button.

class CopyButton extends HTMLElement {
  /** @type {string | undefined} */
  label;

  connectedCallback() {
    this.listen = new AbortController();
    this.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (button) this.copy(button);
    }, { signal: this.listen.signal });
  }

  disconnectedCallback() {
    this.listen?.abort();
    clearTimeout(this.wait);
  }

  /** @param {HTMLButtonElement} button */
  async copy(button) {
    const from = document.querySelector(this.dataset.from ?? "");
    if (!from) return;
    const text = from instanceof HTMLInputElement || from instanceof HTMLTextAreaElement ? from.value : from.textContent ?? "";
    const before = (this.label ??= button.textContent ?? "");
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = this.dataset.done ?? "Copied";
    } catch {
      if (from instanceof HTMLInputElement || from instanceof HTMLTextAreaElement) from.select();
      else getSelection()?.selectAllChildren(from);
      button.textContent = this.dataset.select ?? "Selected: copy with the keyboard";
    }
    clearTimeout(this.wait);
    this.wait = setTimeout(() => (button.textContent = before), 2000);
  }
}

customElements.define("copy-button", CopyButton);
