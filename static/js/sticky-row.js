// @ts-check
// A row that stays at the top while the page scrolls under it, slimmer than before.

/**
 * Mark the row .is-stuck while it is held at the top; the height it loses becomes margin, so nothing below jumps.
 * @param {Element | null} row
 * @returns {IntersectionObserver | undefined} disconnect it to stop
 */
export function watchRow(row) {
  if (!(row instanceof HTMLElement)) return undefined;
  const watch = new IntersectionObserver(([entry]) => {
    const now = entry.boundingClientRect.top <= 0 && entry.intersectionRatio < 1;
    if (now === row.classList.contains("is-stuck")) return;
    const before = row.offsetHeight;
    row.classList.toggle("is-stuck", now);
    row.style.marginBottom = now ? `${before - row.offsetHeight}px` : "";
  }, { threshold: 1, rootMargin: "-1px 0px 0px 0px" });
  watch.observe(row);
  return watch;
}
