/** Which rows of a data table are shown: the filter, the search and the order, in the address and as the server takes them. */
import type { ColumnKind } from "./csv";

export interface RowCondition {
  column: string;
  operator: string;
  value: string;
}

export interface RowView {
  search: string;
  conditions: readonly RowCondition[];
  sort: string | null;
  down: boolean;
}

export interface RowOperator {
  value: string;
  label: string;
}

const EQUAL: RowOperator[] = [
  { value: "eq", label: "is" },
  { value: "neq", label: "is not" },
];
const ORDERED: RowOperator[] = [
  { value: "gt", label: "above" },
  { value: "gte", label: "at least" },
  { value: "lt", label: "below" },
  { value: "lte", label: "at most" },
];
const LIKE: RowOperator[] = [{ value: "ilike", label: "contains" }];

export function operatorsOf(kind: ColumnKind): RowOperator[] {
  if (kind === "string") return [...LIKE, ...EQUAL];
  if (kind === "boolean") return EQUAL;
  return [...EQUAL, ...ORDERED];
}

/** A condition in a few words, for its chip. */
export function conditionLabel({ column, operator, value }: RowCondition): string {
  const label =
    [...LIKE, ...EQUAL, ...ORDERED].find((one) => one.value === operator)?.label ?? operator;
  return `${column} ${label} ${value === "" ? "empty" : value}`;
}

export function readRowView(query: URLSearchParams): RowView {
  const conditions = query.getAll("where").flatMap((text): RowCondition[] => {
    const [column, operator, ...rest] = text.split(":");
    return column && operator ? [{ column, operator, value: rest.join(":") }] : [];
  });
  const order = query.get("sort");
  const down = order?.startsWith("-") ?? false;
  return {
    search: query.get("q") ?? "",
    conditions,
    sort: order ? order.replace(/^-/, "") : null,
    down,
  };
}

export function writeRowView(view: RowView): URLSearchParams {
  const query = new URLSearchParams();
  if (view.search) query.set("q", view.search);
  for (const { column, operator, value } of view.conditions)
    query.append("where", `${column}:${operator}:${value}`);
  if (view.sort) query.set("sort", `${view.down ? "-" : ""}${view.sort}`);
  return query;
}

/** The parameters of the server's list of rows. */
export function toRowQuery(
  view: RowView,
  kinds: ReadonlyMap<string, ColumnKind>,
): Record<string, string> {
  const query: Record<string, string> = {};
  if (view.search.trim()) query.search = view.search.trim();
  if (view.sort) query.sortBy = `${view.sort}:${view.down ? "desc" : "asc"}`;
  const filters = view.conditions.map(({ column, operator, value }) => ({
    columnName: column,
    condition: operator,
    value: typedValue(
      value,
      kinds.get(column) ?? (column === "id" ? "number" : "string"),
      operator,
    ),
  }));
  if (filters.length > 0) query.filter = JSON.stringify({ type: "and", filters });
  return query;
}

function typedValue(
  value: string,
  kind: ColumnKind,
  operator: string,
): string | number | boolean | null {
  if (operator === "ilike") return `%${value}%`;
  if (value.trim() === "") return null;
  if (kind === "number") return Number(value);
  if (kind === "boolean") return /^(true|yes|1)$/i.test(value);
  return value;
}
