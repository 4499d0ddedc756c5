// The shapes of the API that pages speak of, from what is generated; a word is narrowed where the server has a fixed list of values.

import type { Execution as Told } from "./generated";
import type { WorkflowDocument } from "./workflowDocument";

export type { WorkflowProblem as Problem } from "./generated";

/** A workflow of the list. */
export interface Workflow extends WorkflowDocument {
  id: string;
  active: boolean;
}

export type ExecutionStatus =
  | "new"
  | "running"
  | "success"
  | "error"
  | "crashed"
  | "waiting"
  | "canceled"
  | "uncertain"
  | "unknown";

export interface Execution extends Told {
  status: ExecutionStatus;
}

export interface Paged<T> {
  data: T[];
  nextCursor: string | null;
}
