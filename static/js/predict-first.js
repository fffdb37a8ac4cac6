// @ts-check
// A guess before the answer: one click, then the measured answer beside it. Skippable, never scored.

/** Guesses already made in this visit, so that a redrawn lab does not ask the same thing again. @type {Map<string, string>} */
const made = new Map();

class PredictFirst extends HTMLElement {
  connectedCallback() {
    this.listen = new AbortController();
    this.form = this.querySelector("form");
    this.addEventListener("submit", (event) => {
      event.preventDefault();
      const button = /** @type {SubmitEvent} */ (event).submitter;
      if (button instanceof HTMLButtonElement) this.reveal(button.value);
    }, { signal: this.listen.signal });
    const before = made.get(this.question);
    if (before !== undefined) this.reveal(before);
  }

  disconnectedCallback() {
    this.listen?.abort();
  }

  /** The question and its choices; the same question is asked once. */
  get question() {
    const choices = [...this.querySelectorAll("button")].map((button) => button.value);
    return [this.querySelector(".question")?.textContent?.trim(), ...choices, this.dataset.answer].join("|");
  }

  /** @param {string} guess */
  reveal(guess) {
    made.set(this.question, guess);
    this.form?.setAttribute("data-answered", "");
    for (const button of this.querySelectorAll("button")) {
      if (button.value && button.value === guess) button.dataset.guess = "here";
      else delete button.dataset.guess;
      if (button.value && button.value === this.dataset.answer) button.dataset.measured = "here";
    }
    const answer = this.querySelector(".answer");
    answer?.setAttribute("role", "status");
  }
}

customElements.define("predict-first", PredictFirst);
