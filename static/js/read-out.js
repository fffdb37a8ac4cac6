// @ts-check
// Numbers and cells of a figure, said in words.

/** A number as a reader wants it: three digits that count. @param {number | null} value */
export const short = (value) => {
  if (value === null || value === undefined) return "−∞";
  if (value === 0) return "0";
  if (Math.abs(value) >= 0.001 && Math.abs(value) < 10000) return String(Number(value.toPrecision(3))).replace("-", "−");
  const [mantissa, exponent] = value.toExponential(1).split("e");
  return `${mantissa.replace("-", "−")}·10${[...String(Number(exponent))].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit] ?? "⁻").join("")}`;
};

/**
 * "row → column: value".
 * @param {{data?: {z?: number[][]}[], layout?: Record<string, any>}} plot
 * @param {{row: number, column: number}} cell
 */
export function sayCell(plot, { row, column }) {
  const value = plot.data?.[0]?.z?.[row]?.[column] ?? null;
  const name = (/** @type {string} */ side, /** @type {number} */ index) => plot.layout?.meta?.[side]?.[index] ?? String(index + 1);
  return `${name("rows", row)} → ${name("columns", column)}: ${short(value)}`;
}
