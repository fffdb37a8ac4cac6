// @ts-check
// Where the pointer is in a heat map: the cell's row and column marked, its value said in words.
import { light } from "./light.js";
import { sayCell } from "./read-out.js";

/** @typedef {{row: number, column: number}} Cell */

const SVG = "http://www.w3.org/2000/svg";

/** The cell area of a drawing in its own units. @param {SVGSVGElement} drawing */
const area = (drawing) => {
  const { x, y, w, h, rows, columns } = drawing.dataset;
  return { x: Number(x), y: Number(y), w: Number(w), h: Number(h), rows: Number(rows), columns: Number(columns) };
};

/**
 * The cell under the pointer, or null beside the map.
 * @param {SVGSVGElement} drawing
 * @param {PointerEvent} event
 * @returns {Cell | null}
 */
export function cellAt(drawing, event) {
  const matrix = drawing.getScreenCTM();
  if (!matrix) return null;
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  const { x, y, w, h, rows, columns } = area(drawing);
  const row = Math.floor(((point.y - y) / h) * rows), column = Math.floor(((point.x - x) / w) * columns);
  return row >= 0 && column >= 0 && row < rows && column < columns ? { row, column } : null;
}

/**
 * Frame the cell, its row and its column.
 * @param {SVGSVGElement} drawing
 * @param {Cell | null} cell
 */
export function mark(drawing, cell) {
  for (const old of drawing.querySelectorAll(".cross-mark, .cross-cell")) old.remove();
  if (!cell) return;
  const { x, y, w, h, rows, columns } = area(drawing);
  const high = h / rows, wide = w / columns;
  const frames = [
    ["cross-mark", x, y + cell.row * high, w, high],
    ["cross-mark", x + cell.column * wide, y, wide, h],
    ["cross-cell", x + cell.column * wide, y + cell.row * high, wide, high],
  ];
  for (const [name, left, top, width, height] of frames) {
    const frame = document.createElementNS(SVG, "rect");
    frame.setAttribute("class", String(name));
    for (const [key, value] of Object.entries({ x: left, y: top, width, height })) frame.setAttribute(key, String(value));
    drawing.append(frame);
  }
}

/** The cell one arrow key further. @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * Follow pointer, focus and arrow keys over a heat map.
 * @param {SVGSVGElement} drawing
 * @param {HTMLElement} read the line that reads the value out
 * @param {() => Promise<Record<string, any>>} ask for the numbers, once a reader wants them
 * @param {AbortSignal} [signal] ends the watch
 */
export function watch(drawing, read, ask, signal) {
  const { rows, columns } = area(drawing);
  let last = { row: 0, column: 0 };
  const show = async (/** @type {Cell | null} */ cell) => {
    mark(drawing, cell);
    light(cell ? String(cell.row) : null);
    last = cell ?? last;
    const said = cell ? sayCell(await ask(), cell) : "";
    if (!cell || last === cell) read.textContent = said;
  };
  drawing.tabIndex = 0;
  for (const name of ["pointermove", "pointerdown"]) {
    drawing.addEventListener(name, (event) => show(cellAt(drawing, /** @type {PointerEvent} */ (event))), { signal });
  }
  // A finger that is lifted leaves what it asked for to be read.
  drawing.addEventListener("pointerleave", (event) => event.pointerType === "touch" || show(null), { signal });
  drawing.addEventListener("blur", () => show(null), { signal });
  drawing.addEventListener("focus", () => drawing.matches(":focus-visible") && show(last), { signal });
  drawing.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const inside = (/** @type {number} */ at, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, at));
    show({ row: inside(last.row + step[0], rows), column: inside(last.column + step[1], columns) });
  }, { signal });
}
