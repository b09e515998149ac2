"""Write a transformer of your own as a target for Pianola. Needs `pip install numpy safetensors`.

The class says what the transformer is; every head is a dict of four matrices that multiply row
vectors from the right:

    wq, wk: width x head_width      wv: width x v      wo: v x width      (any v)

A `torch.nn.Linear` stores its weight the other way round: pass
`linear.weight.detach().numpy().T`. Biases, layer normalisation and feed-forward layers have no
place in a target.
"""

import json

import numpy as np
from safetensors.numpy import save_file


def export_target(path, layers, *, attention="softmax", mask="none", scale="inverse-sqrt",
                  residual=False, tokens=None, embedding=None, positions=None):
    """Write `layers` (a list of layers, each a list of heads) to `path`, as float64.

    attention: "softmax", "average-hard" or "leftmost-hard". mask: "none" or "causal". scale: what
    the scores are multiplied by, a number or "inverse-sqrt" for 1 / sqrt(head_width). A vocabulary is
    optional: `tokens`, their `embedding` (tokens x width) and `positions` (longest n x width), added.
    """
    matrices = {f"layers.{l}.heads.{h}.{name}": head[name]
                for l, layer in enumerate(layers)
                for h, head in enumerate(layer)
                for name in ("wq", "wk", "wv", "wo")}
    if tokens is not None:
        matrices["vocabulary.embedding"] = embedding
        if positions is not None:
            matrices["vocabulary.positions"] = positions
    width, head_width = np.shape(layers[0][0]["wq"])
    target_class = {"heads": len(layers[0]), "layers": len(layers), "width": width,
                    "head_width": head_width, "attention": attention, "mask": mask,
                    "scale": scale, "residual": residual}
    metadata = {"format": "pianola-target", "version": "1", "class": json.dumps(target_class)}
    if tokens is not None:
        metadata["tokens"] = json.dumps(list(tokens))
    tensors = {name: np.ascontiguousarray(matrix, dtype=np.float64) for name, matrix in matrices.items()}
    save_file(tensors, path, metadata)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    head = lambda: {"wq": rng.normal(size=(4, 2)), "wk": rng.normal(size=(4, 2)),
                    "wv": rng.normal(size=(4, 2)), "wo": rng.normal(size=(2, 4))}
    export_target("target.safetensors", [[head(), head()] for _ in range(2)], mask="causal",
                  tokens=["a", "b", "c"], embedding=rng.normal(size=(3, 4)),
                  positions=rng.normal(size=(8, 4)))
    np.save("input.npy", rng.normal(size=(5, 4)))
