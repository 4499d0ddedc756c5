/** Which rows of a list are shown, and in which order. */
export interface RowFilter<Row> {
  /** What was typed into the search. */
  typed: string;
  /** What a row is found by. */
  textOf: (row: Row) => string;
  filter?: (row: Row) => boolean;
  order?: (one: Row, other: Row) => number;
}

export function listRows<Row>(
  rows: readonly Row[],
  { typed, textOf, filter = () => true, order }: RowFilter<Row>,
): Row[] {
  const words = typed.toLowerCase();
  const found = rows.filter((row) => filter(row) && textOf(row).toLowerCase().includes(words));
  return order ? found.sort(order) : found;
}
