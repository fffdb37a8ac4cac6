// @ts-check
// Where the reader stands, kept in this browser only: a lesson is begun when opened and done when its end was reached.

const KEY = "progress";

/** @returns {Record<string, string>} */
function read() {
  try { return JSON.parse(localStorage.getItem(KEY) ?? "{}"); } catch { return {}; }
}

/** @param {string} lesson @param {string} state */
function keep(lesson, state) {
  const all = read();
  if (all[lesson] === "done" || all[lesson] === state) return;
  try { localStorage.setItem(KEY, JSON.stringify({ ...all, [lesson]: state })); } catch { /* nothing is kept in a private window */ }
}

class LessonProgress extends HTMLElement {
  connectedCallback() {
    const lesson = this.dataset.lesson;
    if (lesson) this.follow(lesson);
    else this.show();
  }

  disconnectedCallback() {
    this.end?.disconnect();
  }

  /** @param {string} lesson */
  follow(lesson) {
    keep(lesson, "begun");
    const last = document.querySelector(".step-nav") ?? document.querySelector("#next");
    if (!last) return;
    this.end = new IntersectionObserver(([entry]) => { if (entry.isIntersecting) keep(lesson, "done"); });
    this.end.observe(last);
  }

  show() {
    const all = read();
    const words = /** @type {Record<string, string | undefined>} */ ({ begun: this.dataset.begun ?? "begun", done: this.dataset.done ?? "read" });
    for (const step of this.querySelectorAll("[data-lesson]")) {
      const state = all[step.getAttribute("data-lesson") ?? ""];
      if (!state) continue;
      step.setAttribute("data-progress", state);
      const meta = step.querySelector(".meta");
      if (meta) meta.append(` · ${words[state]}`);
    }
  }
}

customElements.define("lesson-progress", LessonProgress);
