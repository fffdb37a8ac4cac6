// @ts-check
// A question whose answers explain themselves when chosen; without a script each explanation can be unfolded.

class QuizCard extends HTMLElement {
  connectedCallback() {
    this.listen = new AbortController();
    this.addEventListener("change", (event) => this.explain(event.target), { signal: this.listen.signal });
    this.explain(this.querySelector("input:checked"));
  }

  disconnectedCallback() {
    this.listen?.abort();
  }

  /** Show why the chosen answer is right or not, and fold the others away. @param {EventTarget | null} answer */
  explain(answer) {
    const wanted = answer instanceof HTMLInputElement ? answer.getAttribute("aria-describedby") : null;
    for (const why of this.querySelectorAll("details.why")) {
      if (!(why instanceof HTMLDetailsElement)) continue;
      why.open = why.id === wanted;
      why.hidden = !why.open;
      if (why.open) why.setAttribute("role", "status");
    }
  }
}

customElements.define("quiz-card", QuizCard);
