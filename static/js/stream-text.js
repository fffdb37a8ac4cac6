// @ts-check
// A text written token by token as the server sends it: each token opens to show what else could have come, and
// another one chosen there is where the text goes on. Without it the button sends the form, and all comes at once.

/** @typedef {{label: string, probability: number, taken: boolean, values: Record<string, string> | null}} Other */
/** @typedef {{label: string, text: string | null, ends: boolean, alternatives: Other[]}} Step */
const SAID = 1500; // milliseconds between two readings aloud of what was written

class StreamText extends HTMLElement {
  connectedCallback() {
    this.listen = new AbortController();
    const { signal } = this.listen;
    this.go = this.querySelector("button[name=write]");
    this.halt = this.querySelector("button.stop");
    this.page = this.querySelector(".written");
    this.status = this.querySelector("[role=status]");
    this.go?.addEventListener("click", (event) => {
      event.preventDefault();
      this.begin();
    }, { signal });
    this.halt?.addEventListener("click", () => this.end(), { signal });
  }

  disconnectedCallback() {
    this.listen?.abort();
    this.source?.close();
  }

  begin() {
    this.source?.close();
    for (const token of this.querySelectorAll(".branch, .failed")) token.remove();
    this.text = "";
    this.spoken = performance.now();
    this.running(true);
    const source = (this.source = new EventSource(this.dataset.src ?? ""));
    source.addEventListener("step", (event) => this.add(JSON.parse(event.data)));
    source.addEventListener("done", () => this.end());
    source.addEventListener("refused", (event) => this.fail(JSON.parse(event.data).message));
    source.addEventListener("error", () => this.fail(this.dataset.failed ?? "The server stopped answering."));
  }

  /** @param {boolean} now */
  running(now) {
    this.halt?.toggleAttribute("hidden", !now);
    this.page?.setAttribute("aria-busy", String(now));
  }

  end() {
    this.source?.close();
    this.running(false);
    this.say();
  }

  /** @param {string} message */
  fail(message) {
    this.end();
    const line = Object.assign(document.createElement("p"), { className: "field-message failed", textContent: message });
    line.setAttribute("role", "alert");
    this.append(line);
  }

  /** @param {Step} step */
  add(step) {
    const token = Object.assign(document.createElement("details"), { className: "branch" });
    token.setAttribute("name", this.dataset.name ?? "branch");
    const list = document.createElement("ol");
    list.append(...step.alternatives.map((other) => this.other(other)));
    token.append(Object.assign(document.createElement("summary"), { textContent: step.label }), list);
    this.page?.append(token);
    this.text = step.text ?? this.text;
    if (performance.now() - (this.spoken ?? 0) > SAID) this.say();
  }

  /** @param {Other} other */
  other(other) {
    const line = document.createElement("li");
    if (other.taken) line.setAttribute("aria-current", "true");
    const name = document.createElement(other.values ? "a" : "bdi");
    name.textContent = other.label;
    if (name instanceof HTMLAnchorElement && other.values) {
      const to = new URL(this.dataset.src ?? "", location.href);
      to.pathname = to.pathname.replace(/\/stream$/, "");
      for (const [field, value] of Object.entries(other.values)) to.searchParams.set(field, value);
      to.hash = this.closest(".lab")?.id ?? "";
      Object.assign(name, { href: to.href }).dataset.try = "";
    }
    line.append(name, " ", Object.assign(document.createElement("span"), { textContent: other.probability.toFixed(3) }));
    return line;
  }

  say() {
    this.spoken = performance.now();
    if (this.status && this.text) this.status.textContent = `${this.dataset.done ?? ""} ${this.text}`;
  }
}

customElements.define("stream-text", StreamText);
