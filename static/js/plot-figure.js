// @ts-check
// A drawing made on the server, with a crosshair and read-out for heat maps and a Plotly view on request.
import { choose, light } from "./light.js";
import { draw } from "./plotly-view.js";
import { watch } from "./crosshair.js";

class PlotFigure extends HTMLElement {
  /** @type {Promise<any> | undefined} */
  held;

  connectedCallback() {
    this.listen = new AbortController();
    this.drawings = [...this.querySelectorAll("svg")];
    if ((this.dataset.plot || this.dataset.src) && !this.querySelector(".figure-plot")) this.addTools();
    this.addReadOut();
    if (this.scrollWidth > this.clientWidth && !this.querySelector("[tabindex]")) this.tabIndex = 0;
    this.followTokens();
  }

  disconnectedCallback() {
    this.listen?.abort();
    this.release?.();
  }

  /** The figure's own description, from the page or from its address: what Plotly draws and the read-out says. */
  get plot() {
    return (this.held ??= this.dataset.plot
      ? Promise.resolve(JSON.parse(this.dataset.plot))
      : fetch(this.dataset.src ?? "").then((answer) => answer.json()));
  }

  /** Heat maps say the cell under the pointer in a line beside the figure's tools, so that nothing moves. */
  addReadOut() {
    const maps = this.drawings?.filter((drawing) => drawing.dataset.rows) ?? [];
    const tools = this.closest("figure")?.querySelector(".figure-tools") ?? this;
    if (!maps.length || tools.querySelector(".figure-read")) return;
    const read = document.createElement("p");
    read.className = "figure-read";
    read.setAttribute("aria-live", "polite");
    for (const map of maps) watch(map, read, () => this.plot, this.listen?.signal);
    tools.append(read);
  }

  addTools() {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = this.dataset.explore ?? "Explore";
    button.addEventListener("click", () => this.explore(button), { signal: this.listen?.signal });
    const holder = this.closest("figure")?.querySelector(".figure-tools") ?? this.newTools();
    if (!holder.querySelector(".explore")) holder.prepend(button);
    button.classList.add("explore");
    this.button = button;
  }

  newTools() {
    const tools = document.createElement("div");
    tools.className = "figure-tools";
    this.after(tools);
    return tools;
  }

  /** @param {HTMLButtonElement} button */
  async explore(button) {
    if (this.release) {
      this.release();
      this.release = undefined;
      for (const drawing of this.drawings ?? []) drawing.toggleAttribute("hidden", false);
      button.textContent = this.dataset.explore ?? "Explore";
      return;
    }
    button.disabled = true;
    try {
      this.release = await draw(this, await this.plot);
      for (const drawing of this.drawings ?? []) drawing.toggleAttribute("hidden", true);
      button.textContent = this.dataset.back ?? "Back to the drawing";
    } catch {
      button.textContent = `${this.dataset.explore ?? "Explore"}: ${this.dataset.failed ?? "could not be loaded"}`;
    }
    button.disabled = false;
  }

  followTokens() {
    const { signal } = this.listen ?? new AbortController();
    this.addEventListener("pointerover", (event) => {
      const at = event.target instanceof Element ? event.target.closest("[data-token]") : null;
      if (at) light(at.getAttribute("data-token")?.split(" ")[0] ?? null);
    }, { signal });
    this.addEventListener("click", (event) => {
      const word = event.target instanceof Element ? event.target.closest("text[data-token]") : null;
      if (word) choose(word.getAttribute("data-token"));
    }, { signal });
    this.addEventListener("pointerleave", () => light(null), { signal });
  }
}

customElements.define("plot-figure", PlotFigure);
