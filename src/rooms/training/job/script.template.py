#!/usr/bin/env python3
"""@TITLE@

Written by Pianola. It builds the same transformer, loads the exported numbers, and gives the same outputs:

    python @STEM@.py outputs                     the logits of one batch, as JSON
    python @STEM@.py outputs --numpy             the same without torch
    python @STEM@.py sample --count 4            sequences of the task with their targets, as JSON
    python @STEM@.py train --steps 1000          goes on training, and writes @STEM@-trained.safetensors
    torchrun --nproc-per-node 4 @STEM@.py train  the same on several processes or machines

The numbers stand in @STEM@.safetensors beside this file (or where --parameters says): trained ones under the names
of their tensors, frozen ones under frozen.*, which no optimiser sees.
"""

import argparse
import json
import os
import struct
import sys

import numpy as np

DESIGN = json.loads(r"""@DESIGN@""")
TASK, MODEL, OPTIMISER = DESIGN["task"], DESIGN["model"], DESIGN["optimiser"]
NO_TARGET = -1


# Numbers: safetensors is eight bytes of length, a JSON header, and the numbers.


def read_numbers(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    header.pop("__metadata__", None)
    cut = lambda it: np.frombuffer(data[slice(*it["data_offsets"])], "<f4").reshape(it["shape"]).copy()
    return {name: cut(it) for name, it in header.items()}


def write_numbers(path, numbers):
    header, data = {}, b""
    for name, array in numbers.items():
        array = np.ascontiguousarray(array, "<f4")
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


# The transformer, in operations that numpy and torch have in common: xp is either.


def zeros(shape, like):
    return like.new_zeros(shape) if hasattr(like, "new_zeros") else np.zeros(shape, like.dtype)


def normalised(x):
    x = x - x.mean(axis=-1, keepdims=True)
    return x / ((x * x).mean(axis=-1, keepdims=True) + 1e-5) ** 0.5


def softmax(x, xp):
    weights = xp.exp(x - xp.amax(x, axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def logits(numbers, tokens, xp):
    """batch × n tokens to batch × n × classes logits."""
    n, d_h = tokens.shape[1], MODEL["head_width"]
    state = numbers["embedding.tokens"][tokens] + numbers["embedding.positions"][:n]
    # What a token may not see gets a score that no share is given to.
    mask = xp.triu(zeros((n, n), state) - 1e30, 1) if DESIGN["causal"] else zeros((n, n), state)
    for layer in DESIGN["layers"]:
        read = normalised(state) if DESIGN["residual"] else state
        source = read @ numbers[layer["read"]] if layer["read"] else read
        output = zeros((*state.shape[:2], layer["output_width"]), state)
        for head in layer["heads"]:
            q = source[..., head["query"] : head["query"] + d_h]
            k = source[..., head["key"] : head["key"] + d_h]
            attention = softmax(q @ xp.swapaxes(k, -1, -2) / d_h**0.5 + mask, xp)
            for first, to, width in head["moves"]:
                output[..., to : to + width] += attention @ source[..., first : first + width]
        if layer["write"]:
            output = output @ numbers[layer["write"]]
        state = state + output if DESIGN["residual"] else output
        if layer["mlp"]:
            first, bias, second = (numbers[name] for name in layer["mlp"])
            hidden = normalised(state) @ first + bias
            state = state + (hidden * (hidden > 0)) @ second
    if DESIGN["residual"]:
        state = normalised(state)
    first, width = DESIGN["read"]
    return state[..., first : first + width] @ numbers["unembedding"]


# The task: sequences with their targets, -1 where nothing is asked.


def draw(rng, number):
    tokens = DRAW[TASK["kind"]](rng, number)
    return tokens, targets_of(tokens)


def draw_dyck(rng, number):
    length = TASK["length"]

    def path():
        height, characters = 0, []
        for left in range(length, 0, -1):
            opens = rng.integers(2 * (height + 1) * left) < (height + 2) * (left - height)
            characters.append(1 if opens else 2)
            height += 1 if opens else -1
        return characters

    if number % 4 == 1:
        characters = path()
        flipped = rng.integers(length)
        characters[flipped] = 3 - characters[flipped]
    elif number % 4 == 3:
        characters = [1] * (length // 2) + [2] * (length // 2)
        while is_balanced(characters):
            rng.shuffle(characters)
    else:
        characters = path()
    return [0, *characters, 3]


def is_balanced(characters):
    height = 0
    for character in characters:
        height += 1 if character == 1 else -1
        if height < 0:
            return False
    return height == 0


def draw_hops(rng, number):
    symbols = [int(rng.integers(TASK["alphabet"]))]
    while len(symbols) < TASK["length"]:
        symbols.append(int((symbols[-1] + 1 + rng.integers(TASK["alphabet"] - 1)) % TASK["alphabet"]))
    return [0, *(symbol + 1 for symbol in symbols)]


def draw_match_two(rng, number):
    m, length = TASK["modulus"], TASK["length"]
    pairs = list(range(1, (m + 1) // 2))
    rng.shuffle(pairs)
    matched, lonely = pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]
    tokens = []
    while len(tokens) + 1 < length // 2:
        x = int(rng.choice(matched))
        tokens += [x, m - x]
    tokens += [0] * (length // 2 - len(tokens))
    sides = [x if rng.integers(2) else m - x for x in lonely]
    tokens += [int(rng.choice(sides)) for _ in range(length - len(tokens))]
    rng.shuffle(tokens)
    return tokens


def draw_parity(rng, number):
    bits = [int(bit) for bit in rng.integers(2, size=TASK["length"])]
    if sum(bits[place] for place in TASK["secret"]) % 2 != number % 2:
        bits[TASK["secret"][0]] ^= 1
    return [*bits, 2]


def draw_recall(rng, number):
    keys = [int(key) for key in rng.permutation(TASK["keys"])[: TASK["pairs"]]]
    pairs = [token for key in keys for token in (key, TASK["keys"] + int(rng.integers(TASK["values"])))]
    return [*pairs, keys[rng.integers(len(keys))]]


def draw_modular_addition(rng, number):
    return [int(x) for x in rng.integers(TASK["modulus"], size=2)]


def draw_own(rng, number):
    return TASK["sequences"][rng.integers(len(TASK["sequences"]))]["tokens"]


DRAW = {
    "dyck": draw_dyck,
    "hops": draw_hops,
    "match-two": draw_match_two,
    "parity": draw_parity,
    "recall": draw_recall,
    "modular-addition": draw_modular_addition,
    "own": draw_own,
}


def targets_of(tokens):
    kind, targets = TASK["kind"], [NO_TARGET] * len(tokens)
    if kind == "dyck":
        targets[-1] = int(is_balanced(tokens[1:-1]))
    elif kind == "hops":
        symbols = tokens[1:]
        for t in range(len(symbols)):
            place = t
            for _ in range(TASK["hops"]):
                before = [j for j in range(place or 0) if symbols[j] == symbols[place]]
                place = before[-1] + 1 if before else None
                if place is None:
                    break
            targets[t + 1] = TASK["alphabet"] if place is None else symbols[place] - 1
    elif kind == "match-two":
        targets = [int(any((x + y) % TASK["modulus"] == 0 for y in tokens)) for x in tokens]
    elif kind == "parity":
        targets[-1] = sum(tokens[place] for place in TASK["secret"]) % 2
    elif kind == "recall":
        targets[-1] = tokens[tokens.index(tokens[-1]) + 1] - TASK["keys"]
    elif kind == "modular-addition":
        targets[-1] = sum(tokens) % TASK["modulus"]
    else:
        known = next(it for it in TASK["sequences"] if it["tokens"] == tokens)
        targets = known["targets"]
    return targets


def batch(rng, count, held_out=frozenset()):
    """Sequences of one length with their targets, none of which is held out."""
    tokens, targets = [], []
    while len(tokens) < count:
        sequence, answers = draw(rng, len(tokens))
        if tuple(sequence) not in held_out:
            spare = DESIGN["length"] - len(sequence)
            tokens.append([*sequence, *[0] * spare])
            targets.append([*answers, *[NO_TARGET] * spare])
    return np.array(tokens), np.array(targets)


# Training, with torch; started by torchrun, on all processes together.


def train(numbers, arguments):
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    rank, size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    has_gpu = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if has_gpu else torch.device("cpu")
    if size > 1:
        dist.init_process_group("nccl" if has_gpu else "gloo")

    class Transformer(torch.nn.Module):
        """What is trained is a parameter, what is frozen a buffer: the optimiser is given parameters only."""

        def __init__(self):
            super().__init__()
            for name, array in numbers.items():
                tensor, plain = torch.from_numpy(array), name.replace(".", "_")
                if name.startswith("frozen."):
                    self.register_buffer(plain, tensor)
                else:
                    self.register_parameter(plain, torch.nn.Parameter(tensor))

        def numbers(self):
            return {name: getattr(self, name.replace(".", "_")) for name in numbers}

        def forward(self, tokens):
            return logits(self.numbers(), tokens, torch)

    model = Transformer().to(device)
    learner = DistributedDataParallel(model) if size > 1 else model
    steps, rate = arguments.steps, arguments.rate
    optimiser = torch.optim.AdamW(
        model.parameters(),
        lr=rate,
        betas=(OPTIMISER["momentum"], OPTIMISER["square_momentum"]),
        eps=OPTIMISER["epsilon"],
        weight_decay=OPTIMISER["weight_decay"],
    )
    warm_up, floor = OPTIMISER["warm_up"], OPTIMISER["floor"]

    def share(step):
        if step < warm_up:
            return (step + 1) / warm_up
        done = min((step - warm_up) / max(steps - warm_up, 1), 1)
        return floor + (1 - floor) * 0.5 * (1 + np.cos(np.pi * done))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, share)
    # The same held-out sequences for all processes, and a stream of its own for each.
    tried, answers = batch(np.random.default_rng(1), arguments.held_out)
    held_out = {tuple(sequence) for sequence in tried.tolist()} if TASK["kind"] not in SMALL else frozenset()
    rng = np.random.default_rng([2, rank])

    def accuracy():
        with torch.no_grad():
            found = model(torch.from_numpy(tried).to(device)).argmax(-1).cpu().numpy()
        asked = answers != NO_TARGET
        return (found == answers)[asked].mean()

    for step in range(steps):
        tokens, targets = batch(rng, arguments.batch, held_out)
        scores = learner(torch.from_numpy(tokens).to(device))
        targets = torch.from_numpy(targets).to(device)
        loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=NO_TARGET)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), OPTIMISER["clip"])
        optimiser.step()
        schedule.step()
        if rank == 0 and ((step + 1) % 100 == 0 or step + 1 == steps):
            print(f"step {step + 1}: loss {loss.item():.4f}, held out {accuracy():.4f}", flush=True)
    if rank == 0:
        path = os.path.splitext(arguments.parameters)[0] + "-trained.safetensors"
        write_numbers(path, {name: it.detach().cpu().numpy() for name, it in model.numbers().items()})
        print(f"written: {path}")
    if size > 1:
        dist.destroy_process_group()


# Tasks with so few sequences that holding some out needs a split of all of them.
SMALL = {"modular-addition", "own"}


def main():
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "@STEM@.safetensors")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["outputs", "sample", "train"])
    parser.add_argument("--parameters", default=here)
    parser.add_argument("--numpy", action="store_true", help="outputs without torch")
    parser.add_argument("--tokens", help="outputs of these sequences: JSON, a list of lists of token numbers")
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--steps", type=int, default=DESIGN["steps"])
    parser.add_argument("--batch", type=int, default=DESIGN["batch"])
    parser.add_argument("--rate", type=float, default=OPTIMISER["learning_rate"])
    parser.add_argument("--held-out", type=int, default=DESIGN["held_out"])
    arguments = parser.parse_args()
    if arguments.what == "sample":
        tokens, targets = batch(np.random.default_rng(0), arguments.count)
        json.dump({"tokens": tokens.tolist(), "targets": targets.tolist()}, sys.stdout)
        return
    numbers = read_numbers(arguments.parameters)
    if arguments.what == "train":
        train(numbers, arguments)
        return
    tokens = np.array(json.loads(arguments.tokens)) if arguments.tokens else batch(np.random.default_rng(0), 4)[0]
    if arguments.numpy:
        found = logits(numbers, tokens, np)
    else:
        import torch

        found = logits({name: torch.from_numpy(it) for name, it in numbers.items()}, torch.from_numpy(tokens), torch)
    json.dump({"tokens": tokens.tolist(), "logits": found.tolist()}, sys.stdout)


if __name__ == "__main__":
    main()
