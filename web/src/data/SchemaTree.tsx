/** The fields of the data with their types and a sample each; the quickest view to build with. */

import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { cx } from "../ui";
import css from "./Data.module.css";
import { type FieldPicking, pickField, pickProps } from "./fieldPicking";
import { type DataType, type SchemaNode, sampleText } from "./schema";

const TYPE_MARKS: Record<DataType, string> = {
  string: "Aa",
  number: "#",
  boolean: "T/F",
  object: "{ }",
  array: "[ ]",
  null: "–",
};
const TYPE_LABELS: Record<DataType, string> = {
  string: "string",
  number: "number",
  boolean: "boolean",
  object: "object",
  array: "array",
  null: "null",
};

interface SchemaTreeProps {
  nodes: readonly SchemaNode[];
  picking: FieldPicking | null;
  /** Everything is open while something is searched for. */
  allOpen?: boolean;
}

export function SchemaTree({ nodes, picking, allOpen = false }: SchemaTreeProps) {
  return (
    <ul className={css.schema}>
      {nodes.map((node) => (
        <SchemaRow key={node.key} node={node} picking={picking} depth={0} allOpen={allOpen} />
      ))}
    </ul>
  );
}

const OPEN_DEPTH = 2;
const OPEN_CHILDREN = 25;

function SchemaRow({
  node,
  picking,
  depth,
  allOpen,
}: {
  node: SchemaNode;
  picking: FieldPicking | null;
  depth: number;
  allOpen: boolean;
}) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = allOpen || (chosen ?? (depth < OPEN_DEPTH && node.children.length <= OPEN_CHILDREN));
  const type = node.types[0] ?? "null";
  const words = node.types.map((one) => TYPE_LABELS[one]).join(" or ");
  const inside = (
    <>
      <span className={cx(css.mark, css[`type-${type}`])} aria-hidden>
        {TYPE_MARKS[type]}
      </span>
      <span className={css.key}>{node.key}</span>
    </>
  );
  return (
    <li>
      <div className={css.schemaRow} style={{ paddingLeft: depth * 16 }}>
        {node.children.length > 0 ? (
          <button
            type="button"
            className={cx(css.twist, open && css.twistOpen)}
            aria-expanded={open}
            aria-label={`${open ? "Collapse" : "Expand"} ${node.key}`}
            onClick={() => setChosen(!open)}
          >
            <ChevronRight size={13} aria-hidden />
          </button>
        ) : (
          <span className={css.twist} />
        )}
        {picking ? (
          <button
            type="button"
            className={css.field}
            aria-label={`${node.key}, ${words}: insert`}
            {...pickProps(picking, node.path, node.sample)}
            onClick={() => pickField(picking, node.path)}
          >
            {inside}
          </button>
        ) : (
          <span className={css.field}>{inside}</span>
        )}
        <span className={css.sample}>{sampleText(node.sample)}</span>
      </div>
      {open && node.children.length > 0 && (
        <ul>
          {node.children.map((child) => (
            <SchemaRow
              key={child.key}
              node={child}
              picking={picking}
              depth={depth + 1}
              allOpen={allOpen}
            />
          ))}
        </ul>
      )}
    </li>
  );
}
