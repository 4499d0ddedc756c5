/** What else an expression can use: fields of the nodes further up, the moment, the workflow and its variables. */

import { ChevronRight } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { SchemaTree } from "../data/SchemaTree";
import { type SchemaNode, schemaOf } from "../data/schema";
import { fieldCode, toAccessor } from "../graph/template";
import { useForm } from "../store/formContext";
import { cx } from "../ui";
import css from "./Panel.module.css";

export function UpstreamFields({ except }: { except: string }) {
  const { scope, directInput } = useForm();
  const others = scope.nodes.filter((node) => node.name !== except && node.json !== undefined);
  const context = useMemo(() => contextSchema(scope.variables), [scope.variables]);
  return (
    <div className={css.further}>
      {others.map((node) => (
        <Group key={node.name} title={node.name}>
          <SchemaTree
            nodes={schemaOf([node.json])}
            picking={{ codeOf: (path) => fieldCode({ node: node.name, path }, directInput) }}
          />
        </Group>
      ))}
      <Group title="Variables and context">
        <SchemaTree
          nodes={context}
          picking={{ codeOf: ([root, ...rest]) => `${root}${toAccessor(rest)}` }}
        />
      </Group>
    </div>
  );
}

/** Closed at first: the schema of a node is only made when somebody looks for it. */
function Group({ title, children }: { title: string; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <section aria-label={title}>
      <button
        type="button"
        className={cx(css.groupHead, open && css.groupOpen)}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight size={13} aria-hidden /> {title}
      </button>
      {open && children}
    </section>
  );
}

function contextSchema(variables: readonly string[]): SchemaNode[] {
  const now = new Date();
  const sample = {
    $now: now.toISOString(),
    $today: `${now.toISOString().slice(0, 10)}T00:00:00.000Z`,
    $itemIndex: 0,
    $workflow: { id: "", name: "", active: false },
    $execution: { id: "", mode: "test" },
    ...(variables.length > 0 && { $vars: Object.fromEntries(variables.map((name) => [name, ""])) }),
  };
  return schemaOf([sample]);
}
