"""Many dimensions laid flat, by PCA or by t-SNE, with an honest word on what the map hides."""

from typing import NamedTuple

from app.engine.projection import neighbour_preservation, pca
from app.figures.describe import Array
from app.i18n import _
from app.lab import Formula
from lessons.embeddings.labs.tsne import FEWEST, SEED, Bent, bend

COMPARED = 5  # nearest points whose company a good map keeps


class Flat(NamedTuple):
    """Points on a map, and what can be said of it."""

    points: Array  # (n, 2) or (n, 3)
    axes: tuple[str, ...]
    said: tuple[str, ...]
    formula: Formula | None


def project(how: str, units: Array) -> Flat:
    """Lay vectors of length 1 flat, and say how far the map can be trusted."""
    if how != "tsne":
        return spread_out(units, 3 if how == "pca3" else 2)
    if len(units) >= FEWEST:
        return bent(units)
    few = _("t-SNE needs at least {n} points to have a neighborhood to keep; this is PCA.")
    flat = spread_out(units, 2)
    return flat._replace(said=(few.format(n=FEWEST), *flat.said))


def bent(units: Array) -> Flat:
    """Lay vectors flat by t-SNE."""
    made = bend(units, pca(units, 2).points)
    warning = _(
        "On a t-SNE map distances between groups, and the sizes of groups, mislead: "
        "only who is near whom counts. By scikit-learn, exact, perplexity {p:.1f}, seed {seed}."
    ).format(p=made.perplexity, seed=SEED)
    axes = (_("t-SNE, no unit"), _("t-SNE, no unit"))
    return Flat(
        made.points, axes, (warning, say_kept(units, made.points)), divergence(len(units), made)
    )


def spread_out(units: Array, dimensions: int) -> Flat:
    """Lay vectors flat by PCA."""
    view = pca(units, dimensions)
    names = [_("first"), _("second"), _("third")][:dimensions]
    title = _("{nth} direction ({share:.0%} of the variance)")
    shares = zip(names, view.explained, strict=True)
    axes = tuple(title.format(nth=name, share=float(share)) for name, share in shares)
    if len(units) < 2:
        return Flat(view.points, axes, (), None)
    text = _("This map keeps {share:.0%} of the variance; the rest is out of sight.")
    said = [text.format(share=float(view.explained.sum()))]
    if len(units) > 4:
        said.append(say_kept(units, view.points))
    return Flat(view.points, axes, tuple(said), variance_kept(units, view.explained))


def say_kept(units: Array, points: Array) -> str:
    """Say how many true neighbours are neighbours on the map too."""
    count = min(COMPARED, max(1, (len(units) - 1) // 2))
    kept = neighbour_preservation(units, points, count)
    text = _(
        "Of each point’s {n} nearest by angle, {share:.0%} are among its {n} nearest on the map."
    )
    return text.format(n=count, share=kept)


def variance_kept(units: Array, shares: Array) -> Formula:
    """Write the share of the variance that a map keeps."""
    total = float(units.var(axis=0).sum())
    parts = [float(share) * total for share in shares]
    terms = "+".join(rf"\lambda_{n + 1}" for n in range(len(parts)))
    return Formula(
        _("The share of the variance that the map keeps"),
        rf"\frac{{{terms}}}{{\sum_i\lambda_i}}",
        rf"X\in\mathbb{{R}}^{{{len(units)}\times {units.shape[1]}}}\quad "
        rf"X-\bar{{x}}=U\Sigma V^{{\top}}\quad \lambda_i=\sigma_i^2/{len(units)}",
        rf"\frac{{{'+'.join(f'{part:.3f}' for part in parts)}}}{{{total:.3f}}}"
        rf"={float(shares.sum()):.3f}",
    )


def divergence(count: int, made: Bent) -> Formula:
    """Write what t-SNE makes small: how much the map's neighbourhoods differ from the true ones."""
    return Formula(
        _("What t-SNE makes as small as it can"),
        r"\mathrm{KL}(P\,\Vert\,Q)=\sum_{i\ne j}p_{ij}\,\log\,\frac{p_{ij}}{q_{ij}}",
        rf"P,Q\in\mathbb{{R}}^{{{count}\times {count}}}\quad "
        rf"\text{{perplexity}}={made.perplexity:.1f}",
        rf"\mathrm{{KL}}(P\,\Vert\,Q)={made.divergence:.3f}",
    )
