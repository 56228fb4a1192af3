import { SaxesParser, type SaxesTagPlain } from "saxes";
import { FeedError, type FeedParser, type FeedRow, maxRowLength } from "./feed-row.ts";
import { toDetail, toOption } from "./merchant-names.ts";

const googleNamespace = "http://base.google.com/ns/1.0";
const deepest = 100;
const maxElements = 2000;

type Fields = Map<string, string[]>;

interface Item {
  line: number;
  depth: number;
  elements: number;
  /** Google's own fields. They take precedence over those of RSS and Atom. */
  google: Fields;
  plain: Fields;
  /** Of the field with elements of its own that is being read. */
  inner: Map<string, string>;
}

/** Atom's names for fields that RSS and Google name differently. */
const atomNames = new Map([
  ["summary", "description"],
  ["content", "description"],
  ["guid", "id"],
]);

/** A product is an RSS 2.0 `item` or an Atom `entry`. Its children are the fields; of nested elements, only those of `product_detail` and `variant_option` are read. */
export function createXmlParser(): FeedParser {
  const parser = new SaxesParser();
  let rows: FeedRow[] = [];
  let prefix = "g:";
  let storeName: string | undefined;
  let depth = 0;
  let item: Item | undefined;
  let text = "";
  /** Characters since the last product started or ended: never more than this is kept in memory. */
  let held = 0;

  parser.on("error", (error) => {
    throw new FeedError(`The feed is not well-formed XML: ${error.message}`);
  });
  parser.on("doctype", (doctype) => {
    if (doctype.includes("<!ENTITY"))
      throw new FeedError("The feed declares entities, which is not allowed.");
  });
  parser.on("opentag", (tag) => {
    depth += 1;
    text = "";
    if (depth > deepest)
      throw new FeedError(`The feed nests elements more than ${deepest} deep in line ${parser.line}.`);
    if (depth === 1) prefix = googlePrefix(tag) ?? prefix;
    if (item !== undefined) countElement(item, tag);
    else if (tag.name === "item" || tag.name === "entry") item = openItem();
  });
  parser.on("text", (part) => {
    text += part;
  });
  parser.on("cdata", (part) => {
    text += part;
  });
  parser.on("closetag", (tag) => {
    if (item !== undefined && depth === item.depth) closeItem(item);
    else if (item !== undefined && depth === item.depth + 1) takeField(item, tag.name, text.trim());
    else if (item !== undefined && depth === item.depth + 2) item.inner.set(localName(tag.name), text.trim());
    else if (item === undefined && tag.name === "title") storeName ??= text.trim() || undefined;
    depth -= 1;
    text = "";
  });

  function openItem(): Item {
    held = 0;
    return { line: parser.line, depth, elements: 0, google: new Map(), plain: new Map(), inner: new Map() };
  }

  function countElement(open: Item, tag: SaxesTagPlain): void {
    open.elements += 1;
    if (open.elements > maxElements) {
      throw new FeedError(`The product in line ${open.line} has more than ${maxElements} elements.`);
    }
    const { href, rel = "alternate" } = tag.attributes;
    if (tag.name === "link" && href !== undefined && rel === "alternate") add(open.plain, "link", href);
  }

  function closeItem({ line, plain, google }: Item): void {
    const merchant = new Map([...plain, ...google]);
    rows.push({ line, merchant, ...(storeName !== undefined && { storeName }) });
    item = undefined;
    held = 0;
  }

  function localName(name: string): string {
    return (name.startsWith(prefix) ? name.slice(prefix.length) : name).toLowerCase();
  }

  function takeField({ google, plain, inner }: Item, name: string, written: string): void {
    const textOf = inner.size > 0 ? innerTexts.get(localName(name)) : undefined;
    const value = textOf?.(inner) ?? written;
    inner.clear();
    if (value === "") return;
    if (name.startsWith(prefix)) add(google, name.slice(prefix.length).toLowerCase(), value);
    else if (!name.includes(":")) add(plain, atomNames.get(name) ?? name, value);
  }

  const take = () => {
    const taken = rows;
    rows = [];
    return taken;
  };
  return {
    push(piece) {
      if (held > maxRowLength) {
        throw new FeedError(
          `The feed holds more than ${maxRowLength} characters without a product, in line ${parser.line}.`,
        );
      }
      held += piece.length;
      parser.write(piece);
      return take();
    },
    end() {
      parser.close();
      return take();
    },
  };
}

/** The text of a field with elements of its own. */
const innerTexts = new Map([
  ["product_detail", detailOf],
  ["variant_option", optionOf],
]);

function optionOf(inner: ReadonlyMap<string, string>): string {
  const [name = "", value = ""] = ["name", "value"].map((part) => inner.get(part));
  return name === "" || value === "" ? "" : toOption(name, value);
}

function detailOf(inner: ReadonlyMap<string, string>): string {
  const [section = "", name = "", value = ""] = ["section_name", "attribute_name", "attribute_value"].map(
    (part) => inner.get(part),
  );
  return name === "" || value === "" ? "" : toDetail(section, name, value);
}

function add(fields: Fields, name: string, value: string): void {
  const known = fields.get(name);
  if (known) known.push(value);
  else fields.set(name, [value]);
}

function googlePrefix({ attributes }: SaxesTagPlain): string | undefined {
  const declared = Object.entries(attributes).find(
    ([name, value]) => name.startsWith("xmlns:") && value.toLowerCase() === googleNamespace,
  );
  return declared && `${declared[0].slice("xmlns:".length)}:`;
}
