/**
 * A page that lists things: its title and actions, a search, a table, and what stands there while the rows are on their way, when
 * they did not arrive, when there are none, and when the search leaves none.
 */
import { type ReactNode, useState } from "react";
import { useSearchParams } from "wouter";
import {
  AsyncContent,
  type AsyncData,
  Button,
  count,
  NoMatches,
  Page,
  SearchInput,
  Table,
  type TableProps,
} from "../ui";
import layout from "./layout.module.css";
import { listRows, type RowFilter } from "./listRows";

interface ListProps<Row> extends Omit<TableProps<Row>, "rows"> {
  query: AsyncData<readonly Row[]>;
  /** What filters left of the rows; all of them without it. */
  rows?: readonly Row[];
  /** Stands there when filters left nothing, and not because there is nothing. */
  noMatches?: ReactNode;
  /** How many rows are shown at first. */
  limit?: number;
  /** How many lines stand for the rows while they are on their way. */
  lines?: number;
  /** Stands over the table once the rows are there. */
  before?: ReactNode;
}

/** The rows, or what stands in their place. */
export function List<Row>({
  query,
  rows,
  empty,
  noMatches = empty,
  limit,
  lines,
  before,
  ...table
}: ListProps<Row>) {
  const [most, setMost] = useState(limit ?? Number.POSITIVE_INFINITY);
  return (
    <AsyncContent query={query} lines={lines}>
      {(all) => {
        const found = rows ?? all;
        return (
          <>
            {before}
            <Table
              {...table}
              rows={found.slice(0, most)}
              empty={all.length === 0 ? empty : noMatches}
            />
            {limit && found.length > most && (
              <ShowMore onClick={() => setMost(most + 5 * limit)}>
                Show more ({count(most)} of {count(found.length)})
              </ShowMore>
            )}
          </>
        );
      }}
    </AsyncContent>
  );
}

export function ShowMore({
  busy,
  onClick,
  children,
}: {
  busy?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <div className={layout.more}>
      <Button busy={busy} onClick={onClick}>
        {children}
      </Button>
    </div>
  );
}

interface ListSectionProps<Row> extends ListProps<Row> {
  text: ReactNode;
  actions: ReactNode;
  /** Dialogs. */
  children: ReactNode;
}

/** A list that is a part of a page: what it is and what can be done stand in a line above it. */
export function ListSection<Row>({ text, actions, children, ...list }: ListSectionProps<Row>) {
  return (
    <>
      <div className={layout.toolbar}>
        <p className={layout.quiet}>{text}</p>
        <span className={layout.push}>{actions}</span>
      </div>
      <List {...list} />
      {children}
    </>
  );
}

interface ListPageProps<Row> extends ListProps<Row> {
  text?: ReactNode;
  actions?: ReactNode;
  /** Stands over the list: filters, or what can be done with the rows that are selected. */
  toolbar?: ReactNode;
  /** Dialogs, and what stands under the list. */
  children?: ReactNode;
}

export function ListPage<Row>({ text, actions, toolbar, children, ...list }: ListPageProps<Row>) {
  return (
    <Page text={text} actions={actions}>
      {toolbar}
      <List {...list} />
      {children}
    </Page>
  );
}

interface SearchListPageProps<Row>
  extends Omit<ListPageProps<Row>, "rows" | "toolbar" | "noMatches">,
    Omit<RowFilter<Row>, "typed"> {
  searchLabel: string;
  /** Stands beside the search. */
  filters?: ReactNode;
  /** Said when nothing fits. */
  noMatches: string;
}

/** A list that is searched by what stands in the address as `q`. */
export function SearchListPage<Row>(props: SearchListPageProps<Row>) {
  const { searchLabel, filters, noMatches, textOf, filter, order, ...page } = props;
  const [params, setParams] = useSearchParams();
  const typed = params.get("q") ?? "";
  const all = page.query.data ?? [];
  const search = (text: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (text) next.set("q", text);
        else next.delete("q");
        return next;
      },
      { replace: true },
    );
  return (
    <ListPage
      {...page}
      rows={listRows(all, { typed, textOf, filter, order })}
      noMatches={<NoMatches text={noMatches} onClear={() => setParams({})} />}
      toolbar={
        all.length > 0 && (
          <div className={layout.toolbar}>
            <SearchInput
              className={layout.search}
              label={searchLabel}
              value={typed}
              onChange={search}
            />
            {filters}
          </div>
        )
      }
    />
  );
}
