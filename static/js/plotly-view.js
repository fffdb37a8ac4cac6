// @ts-check
// Plotly, fetched only when a reader asks to explore a figure. The page's policy forbids the style sheet that Plotly
// would insert, so its rules come as a file; one drawing of the 3-D kind is held at a time.
import { colour, marks } from "./colours.js";

const VERSION = "4.1.1";
/** @param {string} path */
const vendored = (path) => new URL(`../vendor/${path}`, import.meta.url).href;
/** @type {Map<string, Promise<any>>} */
const loaded = new Map();
/** @type {(() => void) | null} */
let releaseOther = null;

/** @param {string} bundle "cartesian" or "gl3d" */
function load(bundle) {
  if (!loaded.has(bundle)) loaded.set(bundle, fetchBundle(bundle));
  return /** @type {Promise<any>} */ (loaded.get(bundle));
}

/** @param {string} bundle */
async function fetchBundle(bundle) {
  if (!document.getElementById("plotly.js-style-global")) {
    const rules = document.createElement("link");
    Object.assign(rules, { rel: "stylesheet", id: "plotly.js-style-global", className: "no-inline-styles", href: vendored(`plotly-${VERSION}.css`) });
    document.head.append(rules);
  }
  await new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = vendored(`plotly-${bundle}-${VERSION}.min.js`);
    script.onload = resolve;
    script.onerror = () => reject(new Error("could not be loaded"));
    document.head.append(script);
  });
  return /** @type {any} */ (window).Plotly;
}

/** The page's type and colours on every axis. @param {Record<string, any>} layout */
function dress(layout) {
  const ink = colour("ink"), soft = colour("soft"), rule = colour("rule");
  const axis = { automargin: true, gridcolor: rule, linecolor: rule, zerolinecolor: rule, tickfont: { color: ink, size: 12 }, title: { font: { color: soft, size: 13 } } };
  const dressed = /** @type {Record<string, any>} */ ({ ...layout, paper_bgcolor: "transparent", plot_bgcolor: "transparent", margin: layout.scene ? { t: 0, r: 0, b: 0, l: 0 } : { t: 24, r: 12, b: 48, l: 48 }, colorway: marks(), autosize: true, modebar: { bgcolor: "transparent", color: soft, activecolor: colour("accent") },
    font: { family: getComputedStyle(document.documentElement).getPropertyValue("--sans"), color: ink, size: 13 } });
  const merge = (/** @type {any} */ own = {}) => ({ ...axis, ...own, title: { ...axis.title, ...(typeof own.title === "string" ? { text: own.title } : own.title) } });
  if (layout.scene) dressed.scene = { ...layout.scene, xaxis: merge(layout.scene.xaxis), yaxis: merge(layout.scene.yaxis), zaxis: merge(layout.scene.zaxis) };
  else for (const name of new Set(["xaxis", "yaxis", ...Object.keys(layout).filter((key) => /^[xy]axis/.test(key))])) dressed[name] = merge(layout[name]);
  return dressed;
}

/** Names of colours, "--key", become the theme's own; a reader's text never does. @param {any} part @param {string} [key] @returns {any} */
function resolved(part, key = "") {
  if (typeof part === "string") return /color/.test(key) && part.startsWith("--") ? colour(part.slice(2)) : part;
  if (Array.isArray(part)) return /color|annotations/.test(key) ? part.map((one) => resolved(one, key)) : part;
  return part && typeof part === "object" ? Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolved(value, name)])) : part;
}

/**
 * Draw a figure with Plotly inside the element.
 * @param {HTMLElement} host
 * @param {{data: Record<string, any>[], layout: Record<string, any>}} plot
 * @returns {Promise<() => void>} call it to remove the drawing and free what it holds
 */
export async function draw(host, plot) {
  const solid = plot.data.some((trace) => trace.type === "scatter3d");
  const Plotly = await load(solid ? "gl3d" : "cartesian");
  if (solid) releaseOther?.();
  const place = document.createElement("div");
  place.className = "figure-plot";
  host.append(place);
  const redraw = () => Plotly.react(place, plot.data.map((trace) => resolved(trace)), dress(resolved(plot.layout)), { displaylogo: false, responsive: true, displayModeBar: "hover" });
  await redraw();
  const night = matchMedia("(prefers-color-scheme: dark)");
  night.addEventListener("change", redraw);
  const release = () => {
    night.removeEventListener("change", redraw);
    Plotly.purge(place);
    place.remove();
    if (releaseOther === release) releaseOther = null;
  };
  if (solid) releaseOther = release;
  return release;
}
