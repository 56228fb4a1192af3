import type { FacetValue } from "@product-search/client";
import { type ReactNode, useState } from "react";
import { formatCount } from "../../service/format.ts";
import { cssColor } from "../../service/product/colors.ts";
import {
  type CategoryNode,
  categoryName,
  categoryTree,
  foldName,
  hasChosenBelow,
  isCategoryChosen,
  toggleCategory,
} from "../../service/search/category-tree.ts";
import { Icon } from "../elements.tsx";

const fewEntries = 6;

/** Values that stand two in a row. */
const shortLength = 5;

interface FacetGroupProps {
  title: string;
  entries: readonly FacetValue[];
  chosen: readonly string[];
  /** Whether the values are colours: those that are known are shown. */
  hasColors?: boolean;
  onChange: (chosen: string[]) => void;
  /** Between the title and the values. */
  children?: ReactNode;
}

/** The names of one facet with their counts. What is chosen stays in the list when nothing matches it any more. */
export function FacetGroup({
  title,
  entries,
  chosen,
  hasColors = false,
  onChange,
  children,
}: FacetGroupProps) {
  const [isWhole, setWhole] = useState(false);
  const listed = new Set(entries.map(({ value }) => foldName(value)));
  const isChosen = (value: string) => chosen.some((one) => foldName(one) === foldName(value));
  const missing = chosen.filter((one) => !listed.has(foldName(one))).map((value) => ({ value, count: 0 }));
  const all = [...missing, ...entries];
  const isShort = !hasColors && all.every(({ value }) => value.length <= shortLength);
  const few = isShort ? 2 * fewEntries : fewEntries;
  const shown = isWhole ? all : all.filter(({ value }, index) => index < few || isChosen(value));
  if (all.length === 0 && !children) return null;
  const toggle = (value: string) =>
    onChange(
      isChosen(value) ? chosen.filter((one) => foldName(one) !== foldName(value)) : [...chosen, value],
    );
  return (
    <fieldset className="facet">
      <legend dir="auto">{title}</legend>
      {children}
      <div className={isShort ? "short-options" : undefined}>
        {shown.map(({ value, count }) => (
          <FacetOption
            key={value}
            text={value}
            count={count}
            isChosen={isChosen(value)}
            color={hasColors ? cssColor(value) : undefined}
            onToggle={() => toggle(value)}
          />
        ))}
      </div>
      {all.length > few && (
        <button
          type="button"
          className="link bare"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? "Show fewer" : `Show all ${all.length}`}
          <span className="visually-hidden"> {title.toLowerCase()}</span>
        </button>
      )}
    </fieldset>
  );
}

interface FacetOptionProps {
  text: string;
  count?: number;
  isChosen: boolean;
  /** A colour of CSS, shown in place of the box. */
  color?: string | undefined;
  onToggle: () => void;
}

/** One value to filter by, and how many products it would leave. */
export function FacetOption({ text, count, isChosen, color, onToggle }: FacetOptionProps) {
  return (
    <label>
      <input
        type="checkbox"
        checked={isChosen}
        onChange={onToggle}
        {...(color !== undefined && { className: "swatch", style: { background: color } })}
      />
      <span dir="auto">{text}</span>
      {count !== undefined && (
        <span className="muted">
          {formatCount(count)}
          <span className="visually-hidden"> products</span>
        </span>
      )}
    </label>
  );
}

const fewNodes = 8;

/** A tree of so few categories is open from the start. */
const smallTree = 10;

interface CategoryTreeProps {
  paths: readonly FacetValue[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

/** The categories of the matches, level by level. What is chosen is in view, and so is what stands below it. */
export function CategoryTree({ paths, chosen, onChange }: CategoryTreeProps) {
  const tree = categoryTree(paths);
  const missing = chosen.filter(
    (one) => !tree.some((node) => isCategoryChosen(node, [one]) || hasChosenBelow(node, [one])),
  );
  if (tree.length === 0 && missing.length === 0) return null;
  return (
    <fieldset className="facet category-tree">
      <legend>Categories</legend>
      {missing.map((path) => (
        <FacetOption
          key={path}
          text={categoryName(path)}
          count={0}
          isChosen
          onToggle={() => onChange(chosen.filter((one) => one !== path))}
        />
      ))}
      <Level nodes={tree} chosen={chosen} isOpenFirst={paths.length <= smallTree} onChange={onChange} />
    </fieldset>
  );
}

interface LevelProps {
  nodes: readonly CategoryNode[];
  chosen: readonly string[];
  isOpenFirst: boolean;
  onChange: (chosen: string[]) => void;
}

function Level({ nodes, chosen, isOpenFirst, onChange }: LevelProps) {
  const [isWhole, setWhole] = useState(false);
  const isInView = (node: CategoryNode) => isCategoryChosen(node, chosen) || hasChosenBelow(node, chosen);
  const shown = isWhole ? nodes : nodes.filter((node, index) => index < fewNodes || isInView(node));
  return (
    <ul>
      {shown.map((node) => (
        // Neither is a level of one category worth a step.
        <Branch
          key={node.path}
          node={node}
          chosen={chosen}
          isOpenFirst={isOpenFirst || nodes.length === 1}
          onChange={onChange}
        />
      ))}
      {shown.length < nodes.length && (
        <li>
          <button type="button" className="link bare" onClick={() => setWhole(true)}>
            Show all {nodes.length}
            <span className="visually-hidden"> categories</span>
          </button>
        </li>
      )}
    </ul>
  );
}

interface BranchProps {
  node: CategoryNode;
  chosen: readonly string[];
  isOpenFirst: boolean;
  onChange: (chosen: string[]) => void;
}

function Branch({ node, chosen, isOpenFirst, onChange }: BranchProps) {
  /** What somebody decided; else it depends on what is chosen. */
  const [decision, setDecision] = useState<boolean>();
  const isChosen = isCategoryChosen(node, chosen);
  const isOpen = decision ?? (isOpenFirst || isChosen || hasChosenBelow(node, chosen));
  const hasChildren = node.children.length > 0;
  return (
    <li>
      <div className="branch">
        <FacetOption
          text={node.name}
          count={node.count}
          isChosen={isChosen}
          onToggle={() => onChange(toggleCategory(node, chosen))}
        />
        {hasChildren && (
          <button
            type="button"
            className="disclosure bare"
            aria-expanded={isOpen}
            onClick={() => setDecision(!isOpen)}
          >
            <Icon name="down" size={16} />
            <span className="visually-hidden">Categories of {node.name}</span>
          </button>
        )}
      </div>
      {hasChildren && isOpen && (
        <Level nodes={node.children} chosen={chosen} isOpenFirst={isOpenFirst} onChange={onChange} />
      )}
    </li>
  );
}
