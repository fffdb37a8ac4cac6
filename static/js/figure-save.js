// @ts-check
// Saves the figure beside it as SVG or PNG, with the colours of the page, the caption and the model's name inside.
import { colour } from "./colours.js";

const SVG = "http://www.w3.org/2000/svg";
const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "font-family", "font-size", "font-weight", "text-anchor", "opacity", "visibility", "vector-effect", "paint-order"];

/** A copy of a drawing that needs no style sheet. @param {SVGSVGElement} drawing @param {string[]} lines */
export function standalone(drawing, lines) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  const originals = drawing.querySelectorAll("*");
  for (const [index, element] of copy.querySelectorAll("*").entries()) {
    const style = getComputedStyle(originals[index]);
    for (const name of KEPT) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute("class");
  }
  for (const frame of copy.querySelectorAll("[pointer-events]")) frame.remove();
  const { x, y, width, height } = drawing.viewBox.baseVal;
  const full = height + 14 + 18 * lines.length;
  const ground = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ x, y, width, height: full, fill: colour("paper") })) ground.setAttribute(name, String(value));
  copy.prepend(ground);
  for (const [index, line] of lines.entries()) {
    const text = document.createElementNS(SVG, "text");
    for (const [name, value] of Object.entries({ x: x + 8, y: y + height + 18 * (index + 1), "font-size": 12, "font-family": "Inter, sans-serif", fill: colour("soft") })) text.setAttribute(name, String(value));
    text.textContent = line;
    copy.append(text);
  }
  for (const [name, value] of Object.entries({ xmlns: SVG, viewBox: `${x} ${y} ${width} ${full}`, width, height: full })) copy.setAttribute(name, String(value));
  return { text: new XMLSerializer().serializeToString(copy), width, height: full };
}

/** A caption in lines that fit under the drawing. @param {string} words @param {number} width in pixels */
function wrapped(words, width) {
  const most = Math.max(24, Math.floor((width - 16) / 6.4));
  /** @type {string[]} */
  const lines = [];
  for (const word of words.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** @param {Blob} blob @param {string} name */
function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** @param {{text: string, width: number, height: number}} picture @returns {Promise<Blob>} */
async function asPng({ text, width, height }) {
  const image = new Image();
  const source = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  image.src = source;
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: width * 2, height: height * 2 });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(source);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}

class FigureSave extends HTMLElement {
  connectedCallback() {
    if (this.querySelector("button")) return;
    for (const kind of (this.dataset.kinds ?? "SVG PNG").split(" ")) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "quiet", textContent: kind, title: `${this.dataset.label ?? "Save the figure as"} ${kind}` });
      button.addEventListener("click", () => this.save(kind));
      this.append(button, " ");
    }
  }

  /** @param {string} kind */
  async save(kind) {
    const figure = this.closest("figure");
    const drawing = [...(figure?.querySelectorAll("svg") ?? [])].find((each) => each.getClientRects().length) ?? figure?.querySelector("svg");
    if (!drawing) return;
    const caption = figure?.querySelector("figcaption")?.textContent ?? "";
    const { width } = drawing.viewBox.baseVal;
    const picture = standalone(drawing, [caption, this.dataset.model ?? ""].flatMap((words) => wrapped(words, width)));
    const name = `${this.dataset.name ?? "figure"}.${kind.toLowerCase()}`;
    download(kind === "SVG" ? new Blob([picture.text], { type: "image/svg+xml" }) : await asPng(picture), name);
  }
}

customElements.define("figure-save", FigureSave);
