// @ts-check
// Hover, focus or tap a token anywhere, and it lights up in every lab on screen.
import { choose, light } from "./light.js";

/** @param {Event} event */
const tokenOf = (event) => {
  const at = event.target instanceof Element ? event.target.closest("[data-token]") : null;
  return at?.getAttribute("data-token")?.split(" ")[0] ?? null;
};

class TokenRow extends HTMLElement {
  connectedCallback() {
    this.listen = new AbortController();
    const { signal } = this.listen;
    for (const name of ["pointerover", "focusin"]) {
      this.addEventListener(name, (event) => light(tokenOf(event)), { signal });
    }
    this.addEventListener("click", (event) => choose(tokenOf(event)), { signal });
    for (const name of ["pointerleave", "focusout"]) {
      this.addEventListener(name, () => light(null), { signal });
    }
  }

  disconnectedCallback() {
    this.listen?.abort();
    light(null);
  }
}

customElements.define("token-row", TokenRow);
