"""Writes the weights of the text encoder as `@product-search/word-meaning` reads them.

    python make/write_encoder.py encoder.npz data/encoder.bin

`make/encoder/train.py` writes the .npz. Pieces are sorted, so that they can be found without a table, and the rows of
their embeddings with them. The README says how the file is laid out.
"""

import hashlib
import json
import struct
import sys

import numpy as np

MAGIC = b"ENCODE01"


def floats(array):
    return array.astype("<f4").tobytes()


def linear(weights, name, parts):
    """A layer as rows of 8 bits with their scales and biases; of several parts, one below the other."""
    rows = np.concatenate([weights[f"{part}.weight"] for part in parts])
    scales = np.concatenate([weights[f"{part}.weight.scale"] for part in parts])
    zeros = [np.zeros(len(weights[f"{part}.weight"])) for part in parts]
    biases = np.concatenate([weights.get(f"{part}.bias", zero) for part, zero in zip(parts, zeros)])
    return {f"{name}.rows": rows.tobytes(), f"{name}.scales": floats(scales), f"{name}.biases": floats(biases)}


def norm(weights, name, part):
    return {f"{name}.factors": floats(weights[f"{part}.weight"]), f"{name}.biases": floats(weights[f"{part}.bias"])}


def sections_of(weights):
    vocabulary = weights["vocab"].tolist()
    order = sorted(range(len(vocabulary)), key=lambda at: vocabulary[at].encode())
    pieces = [vocabulary[at].encode("ascii") for at in order]
    sections = {
        "pieceStarts": np.cumsum([0] + [len(piece) for piece in pieces]).astype("<u4").tobytes(),
        "pieces": b"".join(pieces),
        "embeddings.rows": weights["w"][order].tobytes(),
        "embeddings.scales": floats(weights["w.scale"][order]),
        "places.rows": weights["p"].tobytes(),
        "places.scales": floats(weights["p.scale"]),
        **norm(weights, "embeddings.norm", "n"),
    }
    layers = len([name for name in weights if name.endswith(".q.weight")])
    for layer in range(layers):
        of = f"L.{layer}"
        sections.update(linear(weights, f"{layer}.attention", [f"{of}.q", f"{of}.k", f"{of}.v"]))
        sections.update(linear(weights, f"{layer}.attended", [f"{of}.o"]))
        sections.update(norm(weights, f"{layer}.attended.norm", f"{of}.n1"))
        sections.update(linear(weights, f"{layer}.wide", [f"{of}.i"]))
        sections.update(linear(weights, f"{layer}.narrow", [f"{of}.f"]))
        sections.update(norm(weights, f"{layer}.narrow.norm", f"{of}.n2"))
    sections.update(linear(weights, "first", ["hc"]))
    sections.update(linear(weights, "mean", ["hm"]))
    return sections


def main():
    source, target = sys.argv[1:]
    with np.load(source, allow_pickle=False) as file:
        weights = {name: file[name] for name in file.files}
    sections = sections_of(weights)
    digest = hashlib.sha256(b"".join(sections.values())).hexdigest()[:16]
    header = json.dumps({
        "id": digest,
        "sections": [{"name": name, "bytes": len(content)} for name, content in sections.items()],
    }).encode()
    body = MAGIC + struct.pack("<I", len(header)) + header
    for content in sections.values():
        body += b"\0" * (-len(body) % 4) + content
    with open(target, "wb") as file:
        file.write(body)


if __name__ == "__main__":
    main()
