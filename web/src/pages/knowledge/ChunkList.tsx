/** The chunks of one document, as they are embedded and found. */

import layout from "../../shared/layout.module.css";
import { AsyncContent, Button, Dialog } from "../../ui";
import styles from "./Knowledge.module.css";
import { useChunks } from "./knowledgeApi";

export function ChunkList({
  collection,
  source,
  onClose,
}: {
  collection: string;
  source: string;
  onClose: () => void;
}) {
  const chunks = useChunks(collection, source);
  const all = chunks.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Dialog open onClose={onClose} title={source || "Unnamed text"} size="large">
      <AsyncContent query={chunks} lines={6} />
      <ol className={styles.results}>
        {all.map((chunk, index) => (
          <li key={chunk.id} className={styles.result}>
            <div className={styles.resultHead}>
              <span className={styles.score}>{index + 1}</span>
              <span className={layout.faint}>{metadataText(chunk.metadata)}</span>
            </div>
            <p className={styles.content}>{chunk.content}</p>
          </li>
        ))}
      </ol>
      {chunks.hasNextPage && (
        <Button busy={chunks.isFetchingNextPage} onClick={() => void chunks.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Dialog>
  );
}

/** What is known about a chunk, in a line. */
function metadataText(metadata: Record<string, unknown>): string {
  return Object.entries(metadata)
    .filter(
      ([name, value]) =>
        name !== "source" &&
        (typeof value === "string" || typeof value === "number" || typeof value === "boolean"),
    )
    .map(([name, value]) => `${name} ${value}`)
    .join(" · ");
}
