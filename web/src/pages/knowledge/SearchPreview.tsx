/** Tries a search in a collection, as an agent would: what is found, and how near it is. */
import { Search, SearchX } from "lucide-react";
import { useState } from "react";
import layout from "../../shared/layout.module.css";
import {
  Button,
  Checkbox,
  EmptyState,
  ErrorState,
  Field,
  Input,
  NumberInput,
  useAsyncAction,
} from "../../ui";
import styles from "./Knowledge.module.css";
import { type FoundChunk, searchCollection } from "./knowledgeApi";

export function SearchPreview({ collection, disabled }: { collection: string; disabled: boolean }) {
  const [query, setQuery] = useState("");
  const [limit, setLimit] = useState<number | undefined>(5);
  const [minScore, setMinScore] = useState<number | undefined>(0);
  const [hybrid, setHybrid] = useState(false);
  const [found, setFound] = useState<{ results: FoundChunk[]; ms: number } | null>(null);
  const task = useAsyncAction();
  const search = () =>
    task.run(async () => {
      if (query.trim() === "") return;
      const began = performance.now();
      const results = await searchCollection(collection, {
        query: query.trim(),
        limit: limit ?? 5,
        minScore: minScore ?? 0,
        hybrid,
      });
      setFound({ results, ms: performance.now() - began });
    });
  return (
    <div className={layout.stack}>
      <form
        className={styles.ask}
        onSubmit={(event) => {
          event.preventDefault();
          void search();
        }}
      >
        <Field label="Query">
          <Input
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            placeholder="How are refunds handled?"
            disabled={disabled}
            autoFocus
          />
        </Field>
        <Field label="Results">
          <NumberInput min={1} max={100} value={limit} onChange={setLimit} />
        </Field>
        <Field label="Min score">
          <NumberInput min={0} max={1} step={0.05} value={minScore} onChange={setMinScore} />
        </Field>
        <Button
          kind="primary"
          type="submit"
          icon={Search}
          busy={task.busy}
          disabled={disabled || query.trim() === ""}
        >
          Search
        </Button>
      </form>
      <Checkbox
        checked={hybrid}
        onChange={setHybrid}
        label="Hybrid search (keywords and meaning)"
      />
      {disabled && <p className={layout.note}>Nothing to search yet. Add a document first.</p>}
      {Boolean(task.error) && <ErrorState error={task.error} />}
      {found && found.results.length === 0 && (
        <EmptyState
          icon={SearchX}
          title="No results"
          text="Lower the min score or rephrase the query."
        />
      )}
      {found && found.results.length > 0 && (
        <>
          <p className={layout.faint}>Found in {Math.round(found.ms)} ms, best match first.</p>
          <ol className={styles.results}>
            {found.results.map((result, index) => (
              <SearchResult key={`${result.id} ${index}`} result={result} />
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

function SearchResult({ result }: { result: FoundChunk }) {
  const source = typeof result.metadata.source === "string" ? result.metadata.source : null;
  const page = typeof result.metadata.page === "number" ? `, page ${result.metadata.page}` : "";
  return (
    <li className={styles.result}>
      <div className={styles.resultHead}>
        <span
          className={styles.meter}
          role="meter"
          aria-label="Score"
          aria-valuemin={0}
          aria-valuemax={1}
          aria-valuenow={result.score}
        >
          <i style={{ width: `${Math.max(0, Math.min(1, result.score)) * 100}%` }} />
        </span>
        <span className={styles.score}>{result.score.toFixed(3)}</span>
        {source && (
          <span className={layout.quiet}>
            {source}
            {page}
          </span>
        )}
      </div>
      <p className={styles.content}>{result.content}</p>
    </li>
  );
}
