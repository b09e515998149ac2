"""A training step of this project beside the same step in numpy, single-threaded, in the same run.

    cargo build --release --package training --example step
    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python python/compare_training_step.py target/release/examples/step

Both take steps in turns, and the shortest times of both on the processor are printed. Needs numpy. The numpy step is written as
one would write it for speed: all sequences and heads at once, products by matmul, float32.
"""

import json
import os
import subprocess
import sys
import time

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy as np  # noqa: E402  (the number of threads must be known before)

ROUNDS = 4
TRIES = 8


class Attention:
    """Full training without residual connections: embeddings, attention, unembedding, AdamW."""

    def __init__(self, batch, n, m, heads, layers, head_width, tokens=4, classes=2, frozen=False, norm=False,
                 asked_at_end=True, seed=0):
        self.rng = np.random.default_rng(seed)
        self.batch, self.n, self.m, self.h, self.d = batch, n, m, heads, head_width
        self.tokens, self.classes, self.frozen, self.norm = tokens, classes, frozen, norm
        self.asked_at_end = asked_at_end
        # A frozen random layer mixes whole states, a trained one d_h columns for each head.
        self.v = m if frozen else head_width
        columns = heads * (2 * head_width + self.v)
        self.trained = {
            "tokens": self.normal(0.1, tokens, m),
            "positions": self.normal(0.1, n, m),
            "unembedding": self.normal(m**-0.5, m, classes),
        }
        self.read = [self.normal(m**-0.5, m, columns) for _ in range(layers)]
        self.write = [None if frozen else self.normal((heads * head_width) ** -0.5, heads * head_width, m)
                      for _ in range(layers)]
        if not frozen:
            self.trained.update({f"read.{i}": w for i, w in enumerate(self.read)})
            self.trained.update({f"write.{i}": w for i, w in enumerate(self.write)})
        self.first = {k: np.zeros_like(w) for k, w in self.trained.items()}
        self.second = {k: np.zeros_like(w) for k, w in self.trained.items()}
        self.mask = np.triu(np.full((n, n), -1e30, np.float32), 1)
        self.steps = 0

    def normal(self, deviation, *shape):
        return (deviation * self.rng.standard_normal(shape)).astype(np.float32)

    def split(self, source):
        """Queries, keys and values: batch × heads × n × width."""
        b, n, h, d = self.batch, self.n, self.h, self.d
        parts = (source[..., : h * d], source[..., h * d : 2 * h * d], source[..., 2 * h * d :])
        return [part.reshape(b, n, h, -1).transpose(0, 2, 1, 3) for part in parts]

    def joined(self, parts):
        return np.concatenate([it.transpose(0, 2, 1, 3).reshape(self.batch * self.n, -1) for it in parts], axis=1)

    def normalise(self, x):
        centred = x - x.mean(axis=1, keepdims=True)
        inverse = 1 / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-5))
        return centred * inverse, inverse

    def normalise_backward(self, normal, inverse, d):
        along = (d * normal).mean(axis=1, keepdims=True)
        return inverse * (d - d.mean(axis=1, keepdims=True) - normal * along)

    def step(self):
        b, n, m, scale = self.batch, self.n, self.m, np.float32(self.d**-0.5)
        tokens = self.rng.integers(0, self.tokens, (b, n))
        state = (self.trained["tokens"][tokens] + self.trained["positions"]).reshape(b * n, m)
        kept = []
        for read, write in zip(self.read, self.write):
            x, inverse = self.normalise(state) if self.norm else (state, None)
            q, k, v = self.split((x @ read).reshape(b, n, -1))
            scores = q @ k.swapaxes(2, 3) * scale + self.mask
            shares = np.exp(scores - scores.max(axis=3, keepdims=True))
            shares /= shares.sum(axis=3, keepdims=True)
            mixed = shares @ v
            if write is None:
                mixed, output = None, mixed.sum(axis=1).reshape(b * n, m)
            else:
                mixed = self.joined([mixed])
                output = mixed @ write
            kept.append((x, inverse, q, k, v, shares, mixed))
            state = state + output if self.norm else output
        last, inverse = self.normalise(state) if self.norm else (state, None)
        rows = np.arange(n - 1, b * n, n) if self.asked_at_end else np.arange(b * n)
        targets = self.rng.integers(0, self.classes, len(rows))
        logits = last[rows] @ self.trained["unembedding"]
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(len(rows)), targets] -= 1
        p /= np.float32(len(rows))
        gradients = {"unembedding": last[rows].T @ p}
        d_state = np.zeros_like(state)
        d_state[rows] = p @ self.trained["unembedding"].T
        if self.norm:
            d_state = self.normalise_backward(last, inverse, d_state)
        for i in reversed(range(len(self.read))):
            x, inverse, q, k, v, shares, mixed = kept[i]
            if mixed is None:
                d_mixed = d_state.reshape(b, 1, n, m)
            else:
                gradients[f"write.{i}"] = mixed.T @ d_state
                d_mixed = (d_state @ self.write[i].T).reshape(b, n, self.h, -1).transpose(0, 2, 1, 3)
            d_shares = d_mixed @ v.swapaxes(2, 3)
            d_v = shares.swapaxes(2, 3) @ d_mixed
            d_scores = shares * (d_shares - (shares * d_shares).sum(axis=3, keepdims=True)) * scale
            d_source = self.joined([d_scores @ k, d_scores.swapaxes(2, 3) @ q, d_v])
            if not self.frozen:
                gradients[f"read.{i}"] = x.T @ d_source
            d_x = d_source @ self.read[i].T
            d_state = d_state + self.normalise_backward(x, inverse, d_x) if self.norm else d_x
        onehot = np.zeros((b * n, self.tokens), np.float32)
        onehot[np.arange(b * n), tokens.reshape(-1)] = 1
        gradients["tokens"] = onehot.T @ d_state
        gradients["positions"] = d_state.reshape(b, n, m).sum(axis=0)
        self.adam(gradients)

    def adam(self, gradients, rate=np.float32(1e-3)):
        self.steps += 1
        norm = np.sqrt(sum(float((g * g).sum()) for g in gradients.values()))
        factor = np.float32(min(1.0, 1.0 / norm))
        for name, weights in self.trained.items():
            g, first, second = gradients[name] * factor, self.first[name], self.second[name]
            first *= np.float32(0.9)
            first += np.float32(0.1) * g
            second *= np.float32(0.98)
            second += np.float32(0.02) * g * g
            root = np.sqrt(second / np.float32(1 - 0.98**self.steps)) + np.float32(1e-8)
            weights -= rate / np.float32(1 - 0.9**self.steps) * first / root


class Sparse(Attention):
    """The sparse universal transformer as numpy would run it: dense products with its zeros and ones."""

    def __init__(self, batch, n, m, heads, layers, head_width, **more):
        super().__init__(batch, n, m, heads, layers, head_width, frozen=True, **more)
        for read in self.read:
            # The places of the ones do not matter for the time that a dense product takes.
            ones = self.rng.permuted(np.arange(m))
            read[:] = 0
            read[ones[np.arange(read.shape[1]) % m], np.arange(read.shape[1])] = 1


def shortest(model):
    """The shortest of a few single steps: whatever else the machine does then disturbs some of them only."""
    times = []
    for _ in range(TRIES):
        start = time.process_time()
        model.step()
        times.append(time.process_time() - start)
    return min(times)


def main():
    program = sys.argv[1]
    hops = dict(classes=5, tokens=5, norm=True, asked_at_end=False)
    models = {
        "full": Attention(64, 24, 64, 2, 2, 32),
        "sparse": Sparse(32, 16, 352, 2, 3, 8, **hops),
        "random": Attention(32, 16, 256, 2, 3, 8, frozen=True, **hops),
    }
    mine, numpys, operations = {}, {}, {}
    for model in models.values():
        model.step()
    for _ in range(ROUNDS):
        lines = subprocess.run([program, str(TRIES), "1"], check=True, capture_output=True, text=True).stdout.splitlines()
        for it in map(json.loads, lines):
            mine[it["name"]] = min(it["seconds"], mine.get(it["name"], 1e9))
            operations[it["name"]] = it["operations"]
        for name, model in models.items():
            numpys[name] = min(shortest(model), numpys.get(name, 1e9))
    print(f"numpy {np.__version__}, one thread each")
    for name in models:
        speed = operations[name] / mine[name] / 1e9
        print(f"{name:7} {1e3 * mine[name]:8.2f} ms ({speed:5.1f} GFLOP/s)   numpy {1e3 * numpys[name]:8.2f} ms   "
              f"{numpys[name] / mine[name]:5.1f} times as fast")


if __name__ == "__main__":
    main()
