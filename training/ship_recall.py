"""Score the recall networks on fresh questions, and write the folders that ship.

    python -m training.ship_recall --run runs/recall --out models/recall \
        --golden tests/models/golden
"""

import argparse
import re
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from training.recall_model import POSITIONS, recall_network, size
from training.shipping import apart, load_run, save_golden, ship, write_json
from training.train_recall import CELLS, KEYS, MOST_PAIRS, VOCABULARY, WIDTHS, accuracy, drill

RENAMED = (
    (r"^norm\.", "encoder.norm."),
    (r"^layers\.(\d)\.norm", r"encoder.layers.\1.self_attention_norm"),
    (r"^layers\.(\d)\.attention", r"encoder.layers.\1.self_attention"),
)


def tensors(model: nn.Module) -> dict[str, Tensor]:
    """Give the weights the names that the engine reads."""
    renamed = {}
    for name, value in model.state_dict().items():
        for pattern, new in RENAMED:
            name = re.sub(pattern, new, name)  # noqa: PLW2901
        renamed[name] = value
    return apart(renamed)


def settings(cell: str, width: int, model: nn.Module) -> dict[str, Any]:
    """Write the sizes as the engine's config.json."""
    shared = {
        "model_type": "recall",
        "cell": cell,
        "vocab_size": VOCABULARY,
        "keys": KEYS,
        "most_pairs": MOST_PAIRS,
        "d_embedding": width,
    }
    if cell != "attention":
        return {**shared, "d_model": model.rnn.hidden_size, "n_layers": 1}
    return {
        **shared,
        "d_model": width,
        "n_layers": len(model.layers),
        "n_heads": 2,
        "d_ff": 0,
        "norm": "pre",
        "activation": "relu",
        "causal": True,
        "max_positions": POSITIONS,
    }


@torch.no_grad()
def golden(model: nn.Module) -> dict[str, Tensor]:
    """Keep what PyTorch computes for one question with five pairs."""
    told, asked, _ = drill(5, 1, KEYS, torch.Generator().manual_seed(1))
    ids = torch.cat([told, asked[:, :1]], dim=1)
    return {"ids": ids[0], "logits": model(ids)[0, -1]}


def main() -> None:
    """Score, print and write, one network after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--run", "--out", "--golden"):
        parser.add_argument(name, type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    scores, arrays = [], {}
    for cell, width in ((cell, width) for width in WIDTHS for cell in CELLS):
        name = f"{cell}-{width}"
        model = recall_network(cell, VOCABULARY, width)
        state = load_run(model, args.run / name)
        config = settings(cell, width, model)
        ship(args.out / name, tensors(model), config)
        arrays |= {f"{name}.{key}": value for key, value in golden(model).items()}
        shares = [round(accuracy(model, pairs, 2000), 4) for pairs in range(1, MOST_PAIRS + 1)]
        scores.append(
            {
                "name": name,
                "cell": cell,
                "parameters": size(model),
                "d_model": config["d_model"],
                "steps": state["step"],
                "accuracy_by_pairs": shares,
                "curve": state["curve"],
            }
        )
        print(name, size(model), config["d_model"], shares)
    write_json(args.out / "scores.json", scores)
    save_golden(args.golden / "recall.npz", arrays)


if __name__ == "__main__":
    main()
