/** Data tables as the server has them: tables, columns and rows, and their changes. */

import { type InfiniteData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api, fetchAll, queryClient } from "../../api/client";
import type { DataTable, DataTableColumn } from "../../api/generated";
import { urlPath } from "../../api/url";
import type { ColumnKind } from "./csv";

export type { DataTable } from "../../api/generated";

export type TableColumn = DataTableColumn;

export type Cell = string | number | boolean | null;
export type Row = { id: number; createdAt: string; updatedAt: string } & Record<
  string,
  Cell | undefined
>;

interface RowPage {
  data: Row[];
  nextCursor: string | null;
}

const KEY = ["tables"];
const PAGE_SIZE = 100;
/** Rows that go to the server in one request. */
const BATCH = 500;
/** Rows that one filter names. */
const NAMED = 50;

export function useTables() {
  return useQuery({ queryKey: KEY, queryFn: () => fetchAll<DataTable>("/data-tables") });
}

export function useTable(id: string) {
  return useQuery({
    queryKey: [...KEY, id],
    queryFn: () => api.get<DataTable>(urlPath`/data-tables/${id}`),
  });
}

export function useRows(id: string, query: Record<string, string>) {
  return useInfiniteQuery({
    queryKey: [...KEY, id, "rows", query],
    queryFn: ({ pageParam, signal }) =>
      api.get<RowPage>(
        urlPath`/data-tables/${id}/rows`,
        { limit: PAGE_SIZE, ...query, cursor: pageParam },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: (before) => before,
  });
}

export async function createTable(
  name: string,
  columns: { name: string; type: ColumnKind }[],
  projectId?: string,
): Promise<DataTable> {
  const made = await api.post<DataTable>("/data-tables", {
    name,
    columns,
    ...(projectId ? { projectId } : {}),
  });
  refresh();
  return made;
}

export async function renameTable(id: string, name: string) {
  await api.patch(urlPath`/data-tables/${id}`, { name });
  refresh();
}

export async function deleteTable(id: string) {
  await api.delete(urlPath`/data-tables/${id}`);
  queryClient.removeQueries({ queryKey: [...KEY, id] });
  void queryClient.invalidateQueries({ queryKey: KEY, exact: true });
}

export async function addColumn(id: string, name: string, type: ColumnKind) {
  await api.post(urlPath`/data-tables/${id}/columns`, { name, type });
  refresh();
}

export async function updateColumn(
  id: string,
  column: string,
  change: { name?: string; index?: number },
) {
  await api.patch(urlPath`/data-tables/${id}/columns/${column}`, change);
  refresh();
}

export async function deleteColumn(id: string, column: string) {
  await api.delete(urlPath`/data-tables/${id}/columns/${column}`);
  refresh();
}

/** Brings rows in, batch by batch, and tells how far it is. */
export async function insertRows(
  id: string,
  rows: readonly Record<string, Cell>[],
  onProgress?: (done: number) => void,
) {
  for (let at = 0; at < rows.length; at += BATCH) {
    await api.post(urlPath`/data-tables/${id}/rows`, { data: rows.slice(at, at + BATCH) });
    onProgress?.(Math.min(rows.length, at + BATCH));
  }
  refresh();
}

export async function addRow(id: string, row: Record<string, Cell>): Promise<Row | undefined> {
  const made = await api.post<Row[]>(urlPath`/data-tables/${id}/rows`, {
    data: [row],
    returnType: "all",
  });
  refresh();
  return made[0];
}

/** Shows the new value at once; if the server refuses, the old one is back and the error is thrown. */
export async function setCell(id: string, row: number, column: string, value: Cell) {
  const key = [...KEY, id, "rows"];
  const before = queryClient.getQueriesData<InfiniteData<RowPage>>({ queryKey: key });
  queryClient.setQueriesData<InfiniteData<RowPage>>(
    { queryKey: key },
    (data) => data && withCell(data, row, column, value),
  );
  try {
    const filter = { type: "and", filters: [{ columnName: "id", condition: "eq", value: row }] };
    await api.patch(urlPath`/data-tables/${id}/rows/update`, { filter, data: { [column]: value } });
  } catch (error) {
    for (const [place, data] of before) queryClient.setQueryData(place, data);
    throw error;
  }
}

export async function deleteRows(id: string, rows: readonly number[]) {
  for (let at = 0; at < rows.length; at += NAMED) {
    const filters = rows
      .slice(at, at + NAMED)
      .map((row) => ({ columnName: "id", condition: "eq", value: row }));
    const filter = JSON.stringify({ type: "or", filters });
    await api.delete(
      `${urlPath`/data-tables/${id}/rows/delete`}?${new URLSearchParams({ filter })}`,
    );
  }
  refresh();
}

/** All rows that fit, as a file of the server's making. */
export async function exportCsv(id: string, query: Record<string, string>): Promise<string> {
  return (await api.raw("GET", urlPath`/api/v1/data-tables/${id}/rows/csv`, { query })).text();
}

function withCell(
  data: InfiniteData<RowPage>,
  id: number,
  column: string,
  value: Cell,
): InfiniteData<RowPage> {
  const pages = data.pages.map((page) => ({
    ...page,
    data: page.data.map((row) => (row.id === id ? ({ ...row, [column]: value } as Row) : row)),
  }));
  return { ...data, pages };
}

function refresh() {
  void queryClient.invalidateQueries({ queryKey: KEY });
}
