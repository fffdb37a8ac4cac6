// @ts-check
// A mask drawn cell by cell, with the pointer or with arrow keys and space, kept as text in a form field:
// one row after the other with "/" between, 1 where the row's word may look, 0 where it may not ("10/11").

/** The newest drawing: an answer to an older one, arriving while the next is being sent, must not undo it. */
const newest = { value: "", at: -Infinity };
const RECENT = 800; // milliseconds

class MaskGrid extends HTMLElement {
  connectedCallback() {
    this.field = this.querySelector("input");
    if (!this.field || this.querySelector(".mask-table")) return;
    if (performance.now() - newest.at < RECENT && newest.value.length === this.field.value.length) this.field.value = newest.value;
    this.labels = /** @type {string[]} */ (JSON.parse(this.dataset.labels ?? "[]"));
    this.rows = this.field.value.split("/").map((row) => [...row].map((cell) => cell !== "0"));
    this.append(this.table());
    this.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (button) this.toggle(button);
    });
    this.addEventListener("keydown", (event) => this.move(event));
  }

  table() {
    const table = document.createElement("table");
    table.className = "mask-table";
    table.setAttribute("role", "grid");
    table.setAttribute("aria-label", this.dataset.title ?? "Mask: row looks at column");
    const head = table.createTHead().insertRow();
    head.append(document.createElement("td"), ...this.names("col"));
    const body = table.createTBody();
    for (const [r, cells] of (this.rows ?? []).entries()) {
      const row = body.insertRow();
      row.append(this.names("row")[r] ?? document.createElement("th"));
      for (const [c, open] of cells.entries()) row.insertCell().append(this.cell(r, c, open));
    }
    return table;
  }

  /** @param {"row" | "col"} scope */
  names(scope) {
    return (this.labels ?? []).map((label) => Object.assign(document.createElement("th"), { scope, textContent: label }));
  }

  /** @param {number} r @param {number} c @param {boolean} open */
  cell(r, c, open) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", id: `${this.field?.id ?? "mask"}-${r}-${c}`, tabIndex: r || c ? -1 : 0 });
    Object.assign(button.dataset, { r: String(r), c: String(c) });
    this.say(button, open);
    return button;
  }

  /** @param {HTMLButtonElement} button @param {boolean} open */
  say(button, open) {
    const { r, c } = button.dataset;
    button.setAttribute("aria-pressed", String(open));
    button.setAttribute("aria-label", `${this.labels?.[Number(r)] ?? r} → ${this.labels?.[Number(c)] ?? c}`);
  }

  /** @param {HTMLButtonElement} button */
  toggle(button) {
    const row = this.rows?.[Number(button.dataset.r)];
    if (!row || !this.field) return;
    const open = (row[Number(button.dataset.c)] = !row[Number(button.dataset.c)]);
    this.say(button, open);
    this.field.value = (this.rows ?? []).map((cells) => cells.map((cell) => (cell ? "1" : "0")).join("")).join("/");
    Object.assign(newest, { value: this.field.value, at: performance.now() });
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** @param {KeyboardEvent} event */
  move(event) {
    const from = event.target instanceof HTMLButtonElement ? event.target : null;
    const step = /** @type {Record<string, number[]>} */ ({ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] })[event.key];
    if (!from || !step) return;
    event.preventDefault();
    const to = this.querySelector(`[data-r="${Number(from.dataset.r) + step[0]}"][data-c="${Number(from.dataset.c) + step[1]}"]`);
    if (!(to instanceof HTMLButtonElement)) return;
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }
}

customElements.define("mask-grid", MaskGrid);
