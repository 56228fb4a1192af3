import { type Matches, settle } from "../search/matches/matches.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import type { Sections } from "../segment/segment-layout.ts";
import { checkTime } from "../time-limit.ts";
import { groupNumbers } from "./joined-numbers.ts";

/** Ends a chain. */
export const noEntry = 0xffffffff;

/** Documents of one segment. */
export interface DocumentList {
  /** The index of the reader. */
  readonly reader: number;
  readonly docs: Uint32Array;
  readonly count: number;
}

/**
 * Documents by their group. Each document is an entry; the entries of a group are a chain, the last one first. Building it takes
 * linear time and no sorting.
 */
export class Groups {
  /** The number of groups. */
  count = 0;
  readonly entries: number;
  /** For each group, the last of its entries. */
  readonly heads: Uint32Array;
  /** For each entry, the one before it in its group. */
  readonly next: Uint32Array;
  readonly docs: Uint32Array;
  readonly readers: Uint8Array;
  /** Whose documents are the entries, in this order. */
  readonly lists: readonly DocumentList[];
  /** By reader. */
  readonly sections: readonly Sections[];
  readonly #numbers: ReturnType<typeof groupNumbers>;
  /** For each group number, the place of its chain plus 1. */
  readonly #places: Uint32Array;

  constructor(readers: readonly SegmentReader[], lists: readonly DocumentList[]) {
    checkTime();
    this.#numbers = groupNumbers(readers);
    this.lists = lists;
    this.sections = readers.map(({ segment }) => segment.sections);
    this.#places = new Uint32Array(this.#numbers.total);
    this.entries = lists.reduce((sum, { count }) => sum + count, 0);
    this.heads = new Uint32Array(this.entries);
    this.next = new Uint32Array(this.entries);
    this.docs = new Uint32Array(this.entries);
    this.readers = new Uint8Array(this.entries);
    let entry = 0;
    for (const list of lists) {
      this.#add(list, entry);
      entry += list.count;
    }
  }

  /** An inner loop: plain indexing, no closures, no allocation. */
  #add({ reader, docs, count }: DocumentList, first: number): void {
    const { heads, next } = this;
    const places = this.#places;
    const column = this.sections[reader]?.groupNumbers ?? new Uint32Array();
    const map = this.#numbers.maps[reader];
    this.docs.set(docs.subarray(0, count), first);
    this.readers.fill(reader, first, first + count);
    for (let i = 0; i < count; i++) {
      const number = column[docs[i] ?? 0] ?? 0;
      const group = map === undefined ? number : (map[number] ?? 0);
      const place = places[group] ?? 0;
      if (place === 0) {
        places[group] = this.count + 1;
        next[first + i] = noEntry;
        heads[this.count++] = first + i;
      } else {
        next[first + i] = heads[place - 1] ?? noEntry;
        heads[place - 1] = first + i;
      }
    }
  }

  /** The place of a document's group, or −1 if no document of that group is here. */
  placeOf(reader: number, doc: number): number {
    const number = this.sections[reader]?.groupNumbers[doc] ?? 0;
    const group = this.#numbers.maps[reader]?.[number] ?? number;
    return (this.#places[group] ?? 0) - 1;
  }

  /** The entries of a group in the order in which they were added. */
  membersOf(place: number): number[] {
    const members: number[] = [];
    for (let entry = this.heads[place] ?? noEntry; entry !== noEntry; entry = this.next[entry] ?? noEntry)
      members.push(entry);
    return members.reverse();
  }
}

/** The groups of the matches in the readers' scratch space. The entries of a reader are its matches, in their order. */
export function groupsOfMatches(readers: readonly SegmentReader[]): Groups {
  return new Groups(
    readers,
    readers.map(({ state: { matches } }, reader) => listOf(matches, reader)),
  );
}

export function listOf(matches: Matches, reader: number): DocumentList {
  settle(matches);
  return { reader, docs: matches.docs, count: matches.count };
}
