/** What a search says of a query, as far as it is judged. */
export interface Answer {
  readonly total: number;
  /** Name and category of each of the first five. */
  readonly first: readonly string[];
  /** Words that were taken for others. */
  readonly corrected: readonly string[];
}

export interface QueryList {
  /** One query on a line. */
  readonly absent: string;
  /** `query => what each of the first five has` on a line, alternatives parted by bars. */
  readonly present: string;
  readonly typos: string;
}

export interface Judgement {
  readonly queries: number;
  /** The queries that were not answered as they should be, each with what came instead. */
  readonly missed: readonly string[];
}

export interface QueryReport {
  /** Of things that the catalog does not have: nothing is found. */
  readonly absent: Judgement;
  /** Of things that it has: something is found. */
  readonly present: Judgement;
  /** Each of the first five is what was asked for. */
  readonly right: Judgement;
  /** Misspelt queries find what was meant. */
  readonly typos: Judgement;
  /** Of all queries without a slip: no word is taken for another one. */
  readonly uncorrected: Judgement;
}

export function judgeQueries(list: QueryList, search: (text: string) => Answer): QueryReport {
  const absent = linesOf(list.absent);
  const present = linesOf(list.present);
  return {
    absent: judge(absent, ({ text }) => unless(search(text).total === 0, search(text).first[0])),
    present: judge(present, ({ text }) => unless(search(text).total > 0, "nothing")),
    right: judge(present, (line) => wrongHit(line, search(line.text))),
    typos: judge(linesOf(list.typos), (line) => wrongHit(line, search(line.text))),
    uncorrected: judge([...absent, ...present], ({ text }) => {
      const { corrected } = search(text);
      return unless(corrected.length === 0, corrected.join(", "));
    }),
  };
}

interface Line {
  readonly text: string;
  readonly wanted: readonly string[];
}

function linesOf(list: string): Line[] {
  const lines = list.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [text = "", wanted = ""] = line.split(" => ");
      return { text, wanted: wanted.split("|") };
    });
}

function judge(lines: readonly Line[], fault: (line: Line) => string | undefined): Judgement {
  const missed = lines.flatMap((line) => {
    const found = fault(line);
    return found === undefined ? [] : [`${line.text}: ${found}`];
  });
  return { queries: lines.length, missed };
}

function unless(isRight: boolean, found = ""): string | undefined {
  return isRight ? undefined : found;
}

function wrongHit({ wanted }: Line, { total, first }: Answer): string | undefined {
  if (total === 0) return "nothing";
  return first.find((text) => !wanted.some((word) => text.toLowerCase().includes(word)));
}
