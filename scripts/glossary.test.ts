import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { root } from "./docs-blocks.ts";

const glossary = readFileSync(join(root, "docs/glossary.md"), "utf8");

/** A table's row: its words, and the words not to use for their meaning. */
const rows = [...glossary.matchAll(/^\| ([^|]+?) +\| (.+?) *\|$/gm)].map(([, words = "", meaning = ""]) => ({
  words: words.split(", "),
  instead: [...(/Not (".*)$/.exec(meaning)?.[1] ?? "").matchAll(/"([a-z ]+)"/g)].map(([, word = ""]) => word),
}));

/** Words with a row of their own are right elsewhere, and so are those of the rows that speak of units and of purging. */
const ownWords = new Set(rows.flatMap(({ words }) => words));
const checkedApart = new Set(["most", "longest", "heaviest", "least", "clean"]);
const forbidden = rows
  .flatMap(({ instead }) => instead)
  .filter((word) => !ownWords.has(word) && !checkedApart.has(word));

/** A limit is `max…` or `min…`. */
const misnamedLimit = /^(?:most|longest|heaviest|least)\w*(?:Ms|Seconds|Bytes)$/;

/** Participles that leave open what they stand for, as the whole name of something that others see. */
const participles = new Set(["known", "found", "wanted", "asked", "said"]);

/** Of the database, whose names stay: `pictures`, `product_pictures`, the type of a table, a queue of dead letters. */
const published = /^pictures$|_|Table$/;
/** Text in these files is data: sentences of shoppers, names of columns in feeds, words of a language. */
const data =
  /\/(?:sqlite-|postgres-)?tables\.ts$|\/released\/|^packages\/(?:word-meaning|text-index\/src\/language)\/|column-map\.test/;

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts", "*.tsx", "*.md"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .filter((file) => !data.test(file) && file !== "docs/glossary.md" && !file.includes("CHANGELOG"));

interface Name {
  text: string;
  line: number;
  /** A parameter, a member of a type or an export. */
  isSeen: boolean;
}

describe("names and texts keep to docs/glossary.md", () => {
  it("the glossary has rows, and words not to use", () => {
    expect(rows.length).toBeGreaterThan(80);
    expect(forbidden).toEqual(expect.arrayContaining(["picture", "want", "give up", "calm", "tidy"]));
  });

  it("a planted name and a planted comment are found", () => {
    const code = "/** Shows the picture. */\nexport function tidyUp(known: string, leastBytes = 1) {}\n";
    expect(faultsOf("planted.ts", code)).toEqual([
      'planted.ts:1: "picture"',
      'planted.ts:2: "tidy"',
      "planted.ts:2: known",
      "planted.ts:2: leastBytes",
    ]);
    expect(faultsOf("planted.md", "See the `picture` of a\npicture.\n")).toEqual(['planted.md:2: "picture"']);
  });

  it("none uses a word for which there is another", () => {
    const faults = files.flatMap((file) => faultsOf(file, readFileSync(join(root, file), "utf8")));
    expect(faults).toEqual([]);
  });
});

function faultsOf(file: string, text: string): string[] {
  if (file.endsWith(".md")) return faultsInText(file, withoutCode(text), 1);
  const faults: { line: number; fault: string }[] = [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  for (const [line, comment] of commentsOf(source))
    faults.push(...faultsInText(file, comment, line).map((fault) => ({ line, fault })));
  const seen = new Set<string>();
  for (const { text: name, line, isSeen } of namesOf(source)) {
    const words = wordsOf(name);
    const wrong = forbidden.find((word) => words.includes(` ${word} `));
    const isWrong = misnamedLimit.test(name) || (isSeen && participles.has(name));
    const fault = `${file}:${line}: ${wrong === undefined ? name : `"${wrong}"`}`;
    if ((wrong === undefined && !isWrong) || published.test(name) || seen.has(fault)) continue;
    seen.add(fault);
    faults.push({ line, fault });
  }
  return faults.toSorted((one, other) => one.line - other.line).map(({ fault }) => fault);
}

/** " give up soon " of `giveUpSoon`. */
function wordsOf(name: string): string {
  return ` ${name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()} `;
}

/** In sentences only "picture" is looked for: the other words are ordinary there, such as "customers want". */
function faultsInText(file: string, text: string, firstLine: number): string[] {
  return text
    .split("\n")
    .flatMap((line, at) => (/\bpictures?\b/i.test(line) ? [`${file}:${firstLine + at}: "picture"`] : []));
}

/** Code in a document may name what is published. Lines stay. */
function withoutCode(text: string): string {
  return text
    .replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`|\]\([^)\n]*\)/g, "");
}

function commentsOf(source: ts.SourceFile): [line: number, comment: string][] {
  const comments: [number, string][] = [];
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, languageOf(source.fileName), source.text);
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia)
      comments.push([lineOf(source, scanner.getTokenStart()), withoutCode(scanner.getTokenText())]);
  }
  return comments;
}

function languageOf(file: string): ts.LanguageVariant {
  return file.endsWith(".tsx") ? ts.LanguageVariant.JSX : ts.LanguageVariant.Standard;
}

function lineOf(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}

function namesOf(source: ts.SourceFile): Name[] {
  const names: Name[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node))
      names.push({ text: node.text, line: lineOf(source, node.getStart()), isSeen: isSeen(node) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

function isSeen(name: ts.Identifier): boolean {
  const { parent } = name;
  if (ts.isPropertySignature(parent) || ts.isFunctionDeclaration(parent)) return parent.name === name;
  return ts.isParameter(parent) && parent.name === name;
}
