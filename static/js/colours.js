// @ts-check
// Colours by the names of tokens.css, resolved for the theme the reader sees.

/**
 * The colour behind a custom property as rgb(…), by day or by night.
 * @param {string} name without the two dashes, such as "accent" or "heat-4"
 * @param {Element} [where] an element inside the page whose theme counts
 */
export function colour(name, where = document.body) {
  const probe = document.createElement("span");
  probe.hidden = true;
  probe.style.color = `var(--${name})`;
  where.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** The theme's own marks in the order of the line classes. */
export const marks = () => ["accent", "key", "value", "query", "encoder", "decoder"].map((name) => colour(name));
