/** The parts of a search result that are evaluated. */
export interface Response {
  readonly total: number;
  /** Name and category of each of the first five hits. */
  readonly first: readonly string[];
  /** Words that were corrected to others. */
  readonly corrected: readonly string[];
}

export interface QueryList {
  readonly absent: readonly string[];
  /** `query => what each of the first five has`; alternatives are separated by bars. */
  readonly present: readonly string[];
  readonly typos: readonly string[];
}

export interface Judgement {
  readonly queries: number;
  /** The queries with a wrong result, each with that result. */
  readonly missed: readonly string[];
}

export interface QueryReport {
  /** The catalog does not have these things: nothing may be found. */
  readonly absent: Judgement;
  /** The catalog has these things: something must be found. */
  readonly present: Judgement;
  /** Each of the first five must be the requested thing. */
  readonly right: Judgement;
  /** Misspelt queries must find what was meant. */
  readonly typos: Judgement;
  /** In all queries without a misspelling: no word may be corrected. */
  readonly uncorrected: Judgement;
}

export function judgeQueries(list: QueryList, search: (text: string) => Response): QueryReport {
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
  readonly expected: readonly string[];
}

function linesOf(list: readonly string[]): Line[] {
  return list.map((line) => {
    const [text = "", words = ""] = line.split(" => ");
    return { text, expected: words.split("|") };
  });
}

function judge(lines: readonly Line[], fault: (line: Line) => string | undefined): Judgement {
  const missed = lines.flatMap((line) => {
    const found = fault(line);
    return found === undefined ? [] : [`${line.text}: ${found}`];
  });
  return { queries: lines.length, missed };
}

function unless(isRight: boolean, fault = ""): string | undefined {
  return isRight ? undefined : fault;
}

function wrongHit({ expected }: Line, { total, first }: Response): string | undefined {
  if (total === 0) return "nothing";
  return first.find((text) => !expected.some((word) => text.toLowerCase().includes(word)));
}
