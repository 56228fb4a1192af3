import type { FacetValue } from "@product-search/client";
import { useState } from "react";
import {
  type CategoryNode,
  categoryName,
  categoryTree,
  hasChosenBelow,
  isCategoryChosen,
  toggleCategory,
} from "../../service/catalog/category-tree.ts";
import { Icon } from "../icon.tsx";
import { FacetOption } from "./facet-group.tsx";

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
