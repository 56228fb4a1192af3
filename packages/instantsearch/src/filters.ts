/** What InstantSearch sends with a query. Other parameters are in `ignoredParameters`, or not supported. */
export interface SearchParameters {
  query?: string;
  page?: number;
  hitsPerPage?: number;
  facets?: string | readonly string[];
  facetFilters?: string | readonly (string | readonly string[])[];
  numericFilters?: string | readonly (string | readonly string[])[];
  filters?: string;
  maxValuesPerFacet?: number;
  distinct?: boolean | number;
  attributesToHighlight?: readonly string[];
  attributesToSnippet?: readonly string[];
  snippetEllipsisText?: string;
  highlightPreTag?: string;
  highlightPostTag?: string;
  analytics?: boolean;
  clickAnalytics?: boolean;
  facetQuery?: string;
  maxFacetHits?: number;
}

/** A product has the value, or must not have it. */
export interface NameFilter {
  field: string;
  value: string;
  isExcluded: boolean;
}
export interface NumberFilter {
  field: string;
  operator: "<" | "<=" | ">" | ">=" | "=";
  value: number;
}
export type Filter = NameFilter | NumberFilter;

/** A product must match one filter of each clause. */
export type Clause = readonly Filter[];

export function refusal(what: string, remedy: string): Error {
  return new Error(`${what} is not supported: ${remedy}.`);
}

/** All filters of a query, in whatever form they are sent. */
export function readClauses({
  facetFilters = [],
  numericFilters = [],
  filters = "",
}: SearchParameters): Clause[] {
  return [
    ...asClauses(facetFilters, (text) => [readNameFilter(text)]),
    ...asClauses(numericFilters, readNumberFilters),
    ...parseFilters(filters),
  ];
}

type FilterList = Exclude<SearchParameters["facetFilters"], undefined>;

/** A string, or a list of strings that all hold, or in it lists of which one holds. */
function asClauses(filters: FilterList, read: (text: string) => Filter[]): Clause[] {
  return [filters].flat().flatMap((entry): Clause[] => {
    const clause = [entry].flat().flatMap((text) => {
      if (typeof text === "string") return read(text);
      throw refusal(JSON.stringify(entry), "a list of alternatives has no lists in it");
    });
    return typeof entry === "string" || entry.length === 1 ? clause.map((filter) => [filter]) : [clause];
  });
}

/** A minus before a value excludes it; the helper writes a backslash before a minus that belongs to the value. */
function readNameFilter(text: string): NameFilter {
  const [, field = "", minus, value = ""] = /^([^:]+):(-?)(.*)$/s.exec(text) ?? [];
  if (field === "") throw refusal(`"${text}"`, "write field:value");
  return { field, value: value.replace(/^\\-/, "-"), isExcluded: minus === "-" };
}

function readNumberFilters(text: string): NumberFilter[] {
  const [, name = "", from, to] = /^\s*(.+?)\s*:\s*(\S+)\s+TO\s+(\S+)\s*$/.exec(text) ?? [];
  if (name !== "") return [numberFilter(text, name, ">=", from), numberFilter(text, name, "<=", to)];
  const [, field, operator, digits] = /^\s*(.+?)\s*(!=|<=|>=|<|>|=)\s*(\S+)\s*$/.exec(text) ?? [];
  return [numberFilter(text, field, operator, digits)];
}

const operators = ["<=", ">=", "<", ">", "="] as const;

function numberFilter(text: string, field = "", given?: string, digits?: string): NumberFilter {
  const value = Number(digits);
  const operator = operators.find((one) => one === given);
  if (operator && !Number.isNaN(value)) return { field, operator, value };
  throw refusal(`"${text}"`, "write field>=number, with <, <=, =, >= or >");
}

const token =
  /[()]|(?:AND|OR|NOT)\b|("[^"]*"|'[^']*'|[^\s:<>=!()"']+)\s*(?::\s*("[^"]*"|'[^']*'|[^\s()]+(?:\s+TO\s+[^\s()]+)?)|[!<>=]+\s*[^\s()]+)/g;

/** `brand:A AND (price < 20 OR price < 80) AND NOT storeName:"B C"`. */
function parseFilters(text: string): Clause[] {
  const tokens = [...text.matchAll(token)];
  const fault = refusal(
    `filters: "${text}"`,
    "join field:value and comparisons by AND, OR and NOT, with parentheses around what OR joins",
  );
  if (text.replace(token, "").trim() !== "") throw fault;
  const readOperand = (): Clause[] => {
    const [written, field, value] = tokens.shift() ?? [];
    if (written === "(") return readExpression(")");
    if (written === "NOT") {
      const [[filter, ...more] = [], ...others] = readOperand();
      if (!filter || more.length + others.length > 0) throw fault;
      return [[opposite(filter)]];
    }
    if (written === undefined || field === undefined) throw fault;
    if (value !== undefined && !/ TO /.test(value))
      return [[{ field: unquoted(field), value: unquoted(value), isExcluded: false }]];
    return readNumberFilters(unquoted(field) + written.slice(field.length)).map((filter) => [filter]);
  };
  const readExpression = (end?: string): Clause[] => {
    const operands: Clause[][] = [];
    const joints = new Set<string>();
    for (;;) {
      operands.push(readOperand());
      const joint = tokens.shift()?.[0];
      if (joint === end) break;
      if (joint !== "AND" && joint !== "OR") throw fault;
      joints.add(joint);
    }
    if (!joints.has("OR")) return operands.flat();
    if (joints.size > 1 || operands.some(({ length }) => length > 1)) throw fault;
    return [operands.flat(2)];
  };
  return tokens.length === 0 ? [] : readExpression();
}

function unquoted(text: string): string {
  return text.replace(/^["']|["']$/g, "");
}

const opposites = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" } as const;

function opposite(filter: Filter): Filter {
  if ("isExcluded" in filter) return { ...filter, isExcluded: !filter.isExcluded };
  const { field, operator } = filter;
  // What has no value at all would match, too.
  if (field === "price" && operator !== "=") return { ...filter, operator: opposites[operator] };
  throw refusal(`"NOT ${field}${operator}"`, "values and price>=number can be excluded");
}
