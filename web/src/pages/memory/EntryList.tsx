/** The entries of a memory: all of them, or what a search found, best match first. */

import { NotebookText, UserX } from "lucide-react";
import { useSearchParams } from "wouter";
import { useNow } from "../../run/useNow";
import { List, ShowMore } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import { Badge, EmptyState, IconButton, NoMatches, plural, Time } from "../../ui";
import styles from "./Memory.module.css";
import { type Memory, type MemoryEntry, useEntries, useFoundEntries } from "./memoryApi";
import {
  entryState,
  KIND_LABELS,
  MAX_RESULTS,
  type MemoryFilters,
  toQuestion,
} from "./memoryEntries";

interface EntryListProps {
  memory: Memory;
  filters: MemoryFilters;
  onOpen: (entry: MemoryEntry) => void;
  /** Deletes all about a subject; only for those who may. */
  onForget?: (subject: string) => void;
}

interface Row {
  entry: MemoryEntry;
  score: number | null;
}

/** Three lines show no more than this. */
const MAX_SHOWN_CHARS = 600;

const COLUMNS = [
  { id: "text", label: "Entry" },
  { id: "subject", label: "Subject", width: "180px" },
  { id: "kind", label: "Kind", width: "170px" },
  { id: "valid", label: "Valid from", width: "120px" },
];

const SCORE = { id: "score", label: "Match", align: "right" as const, width: "80px" };

export function EntryList({ memory, filters, onOpen, onForget }: EntryListProps) {
  const now = useNow(true, 30_000);
  const [, setParams] = useSearchParams();
  const question = toQuestion(filters, now);
  const subject = filters.subject.trim();
  const all = useEntries(memory.id, subject, question === null);
  const found = useFoundEntries(memory.id, question);
  const isSearch = question !== null;
  const rows = isSearch
    ? found.data?.map(({ entry, score }): Row => ({ entry, score }))
    : listedRows(
        all.data?.pages.flatMap((page) => page.data),
        all.hasNextPage,
      );
  const shown = isSearch
    ? rows
    : rows?.filter(({ entry }) => filters.withOld || entryState(entry, now) === null);
  const nHidden = (rows?.length ?? 0) - (shown?.length ?? 0);
  const query = isSearch
    ? { data: rows, error: found.error, refetch: found.refetch }
    : { data: rows, error: all.error, refetch: all.refetch };
  const isFiltered = isSearch || subject !== "";
  const isEmpty = memory.entryCount === 0;
  return (
    <div className={found.isPlaceholderData && isSearch ? styles.stale : undefined}>
      <List
        query={query}
        rows={shown}
        lines={6}
        label="Entries"
        columns={isSearch && filters.words.trim() !== "" ? [...COLUMNS, SCORE] : COLUMNS}
        rowKey={({ entry }) => entry.id}
        onOpen={({ entry }) => onOpen(entry)}
        render={({ entry, score }, column) => {
          if (column === "text")
            return <span className={styles.text}>{entry.text.slice(0, MAX_SHOWN_CHARS)}</span>;
          if (column === "subject")
            return <span className={styles.subjectCell}>{entry.subject}</span>;
          if (column === "kind") return <Kind entry={entry} now={now} />;
          if (column === "score") return <Score score={score} />;
          return <Time at={entry.validFrom} />;
        }}
        rowActions={
          onForget &&
          (({ entry }) => (
            <IconButton
              icon={UserX}
              label={`Delete everything about ${entry.subject}`}
              size="small"
              onClick={() => onForget(entry.subject)}
            />
          ))
        }
        empty={
          isFiltered ? (
            <NoMatches
              text={
                subject
                  ? "No entries match. A subject is matched exactly, as the agent's node sets it."
                  : "No entries match this search."
              }
              onClear={() => setParams({}, { replace: true })}
            />
          ) : (
            <EmptyState
              icon={NotebookText}
              title={isEmpty ? "No entries yet" : "No current entries"}
              text={
                memory.pendingTurns > 0
                  ? `${plural(memory.pendingTurns, "turn")} of conversations wait until a model extracts facts from them: after every 10 turns, or by a Long-Term Memory node behind a schedule.`
                  : "Facts appear here once a model has extracted them from a conversation, or an agent has written one."
              }
            />
          )
        }
      />
      {nHidden > 0 && (
        <p className={styles.foot}>
          {plural(nHidden, "entry that was", "entries that were")} replaced or have expired{" "}
          {nHidden === 1 ? "is" : "are"} hidden.
        </p>
      )}
      {isSearch && shown?.length === MAX_RESULTS && (
        <p className={styles.foot}>Only the best {MAX_RESULTS} are shown. Narrow the search.</p>
      )}
      {!isSearch && all.hasNextPage && (
        <ShowMore busy={all.isFetchingNextPage} onClick={() => void all.fetchNextPage()}>
          Show more
        </ShowMore>
      )}
    </div>
  );
}

/** The newest first where all are here; otherwise in the order in which they come. */
function listedRows(entries: MemoryEntry[] | undefined, hasMore: boolean): Row[] | undefined {
  const rows = entries?.map((entry): Row => ({ entry, score: null }));
  return hasMore ? rows : rows?.reverse();
}

function Kind({ entry, now }: { entry: MemoryEntry; now: number }) {
  const state = entryState(entry, now);
  return (
    <span className={layout.chips}>
      <Badge tone={entry.kind === "fact" ? "accent" : "neutral"}>{KIND_LABELS[entry.kind]}</Badge>
      {state && <Badge tone={state.tone}>{state.label}</Badge>}
    </span>
  );
}

/** Entries that were found by words or time only have no similarity. */
function Score({ score }: { score: number | null }) {
  return score ? score.toFixed(2) : <span className={layout.faint}>words</span>;
}
