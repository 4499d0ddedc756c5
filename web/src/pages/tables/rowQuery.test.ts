/** How rows are asked for. */
import { describe, expect, it } from "vitest";
import type { ColumnKind } from "./csv";
import { conditionLabel, operatorsOf, readRowView, toRowQuery, writeRowView } from "./rowQuery";

const kinds = new Map<string, ColumnKind>([
  ["age", "number"],
  ["done", "boolean"],
]);

describe("the rows that are shown", () => {
  it("come back from the address as they were", () => {
    const text = "q=ada&where=name%3Ailike%3Aa%3Ab&where=age%3Agt%3A3&sort=-age";
    expect(writeRowView(readRowView(new URLSearchParams(text))).toString()).toBe(text);
    expect(readRowView(new URLSearchParams(text)).conditions[0]).toEqual({
      column: "name",
      operator: "ilike",
      value: "a:b",
    });
  });

  it("are asked for with values of the column's type", () => {
    const view = readRowView(
      new URLSearchParams(
        "where=age:gt:3&where=done:eq:yes&where=name:ilike:x&where=age:eq:&sort=-age",
      ),
    );
    expect(toRowQuery(view, kinds)).toEqual({
      sortBy: "age:desc",
      filter: JSON.stringify({
        type: "and",
        filters: [
          { columnName: "age", condition: "gt", value: 3 },
          { columnName: "done", condition: "eq", value: true },
          { columnName: "name", condition: "ilike", value: "%x%" },
          { columnName: "age", condition: "eq", value: null },
        ],
      }),
    });
  });

  it("are asked for plainly when nothing is said", () => {
    expect(toRowQuery(readRowView(new URLSearchParams()), kinds)).toEqual({});
  });

  it("are told in words", () => {
    expect(conditionLabel({ column: "age", operator: "gte", value: "3" })).toBe("age at least 3");
    expect(operatorsOf("boolean").map((operator) => operator.value)).toEqual(["eq", "neq"]);
  });
});
