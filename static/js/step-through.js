// @ts-check
// Shows the steps of a calculation one at a time; without it they stand one under the other.

/** The step each stepper stood at, so that a redrawn lab stays there. @type {Map<string, number>} */
const stood = new Map();

class StepThrough extends HTMLElement {
  connectedCallback() {
    this.steps = [...this.querySelectorAll(":scope > .steps > .step")];
    if (this.steps.length < 2 || this.querySelector(".step-controls")) return;
    this.prepend(this.controls());
    this.show(Math.min(stood.get(this.id) ?? 0, this.steps.length - 1));
  }

  controls() {
    const bar = document.createElement("div");
    bar.className = "step-controls";
    this.back = this.button(this.dataset.back ?? "← Back", -1);
    this.on = this.button(this.dataset.next ?? "Next →", 1);
    this.slider = document.createElement("input");
    Object.assign(this.slider, { type: "range", min: "1", max: String(this.steps?.length), id: `${this.id}-step` });
    this.slider.setAttribute("aria-label", this.dataset.label ?? "Step");
    this.slider.addEventListener("input", (event) => {
      event.stopPropagation();
      this.show(Number(this.slider?.value) - 1);
    });
    this.where = document.createElement("output");
    bar.append(this.back, this.on, this.slider, this.where);
    return bar;
  }

  /** @param {string} label @param {number} step */
  button(label, step) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: label, id: `${this.id}-${step < 0 ? "back" : "next"}` });
    button.addEventListener("click", () => this.show((this.at ?? 0) + step));
    return button;
  }

  /** @param {number} index */
  show(index) {
    const count = this.steps?.length ?? 0;
    if (index < 0 || index >= count) return;
    this.at = index;
    stood.set(this.id, index);
    for (const [i, step] of (this.steps ?? []).entries()) step.toggleAttribute("hidden", i !== index);
    if (this.slider) this.slider.value = String(index + 1);
    if (this.where) this.where.textContent = `${index + 1} / ${count}`;
    if (this.back) this.back.disabled = index === 0;
    if (this.on) this.on.disabled = index === count - 1;
  }
}

customElements.define("step-through", StepThrough);
