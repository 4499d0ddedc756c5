/** What every field of a node's form needs to know: whose form it is, how values are written, and the data that expressions see. */

import { createContext, use, useEffect, useLayoutEffect, useRef } from "react";
import type { NodeType } from "../api/spec";
import type { Json, JsonObject, ParamPath } from "../graph/json";

/** What is known about the data where an expression stands. */
export interface ExpressionScope {
  /** A sample of the current item. */
  json: unknown;
  /** Nodes before this one, nearest first, with a sample of what they gave if they have run. */
  nodes: readonly { name: string; json?: unknown }[];
  variables: readonly string[];
}

export interface Form {
  node: string;
  type: NodeType | undefined;
  version: number;
  /** All parameters with their defaults; rules with a leading `/` look here. */
  top: JsonObject;
  credentials: Record<string, { id?: string | null; name: string }>;
  readOnly: boolean;
  /** The node is a tool of an agent, whose model may decide parameters. */
  isTool: boolean;
  /** Writes a value; `undefined` takes it away, so that its default counts again. `what` names the change in the history. */
  change: (path: ParamPath, value: Json | undefined, what: string) => void;
  setCredential: (kind: string, credential: { id: string; name: string } | undefined) => void;
  scope: ExpressionScope;
  /** The node whose output `$json` is. */
  directInput: string | null;
  /** The item that previews are computed for, and how many there are. */
  item: number;
  items: number;
  setItem: (item: number) => void;
  /** Which run of the node previews are computed for. */
  runIndex: number;
  /** The type of the credential without which the last run of this node failed. */
  lacksCredential: string | null;
  /** Where the last run of this node failed, if it was in a parameter. */
  failed: { parameter: string; message: string } | null;
}

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = use(FormContext);
  if (!form) throw new Error("Field rendered outside of a form");
  return form;
}

type Insert = (code: string) => void;
let focused: Insert | null = null;

/**
 * Makes a field the one that fields of the data go into when they are chosen by key or click instead of being dragged. The returned
 * function is called when the field gets the focus; it keeps the claim until another field has it or it is gone.
 */
export function useInsertTarget(insert: Insert): () => void {
  const latest = useRef(insert);
  useLayoutEffect(() => {
    latest.current = insert;
  });
  const mine = useRef<Insert>((code) => latest.current(code));
  useEffect(() => {
    const claim = mine.current;
    return () => {
      if (focused === claim) focused = null;
    };
  }, []);
  return () => {
    focused = mine.current;
  };
}

/** Puts code into the field that had the focus last; `false` if there is none. */
export function insertIntoFocused(code: string): boolean {
  focused?.(code);
  return focused !== null;
}
