/** Knowledge: the collections, and one of them. */

import { LibraryBig, Plus } from "lucide-react";
import { useState } from "react";
import { useLocation, useParams, useSearchParams } from "wouter";
import { urlPath } from "../../api/address";
import { useMayChange } from "../../api/session";
import { Badge, Button, Bytes, count, Empty, NothingFits, Page, Problem, SearchInput, Skeleton, Table, Time } from "../../ui";
import layout from "../layout.module.css";
import { useProjectNames } from "../settings/projectData";
import { CollectionDialog } from "./CollectionDialog";
import { CollectionView } from "./CollectionView";
import { useCollections } from "./data";

export default function KnowledgePage() {
  const { id } = useParams<{ id?: string }>();
  return id ? <CollectionView key={id} id={id} /> : <CollectionList />;
}

const COLUMNS = [
  { id: "name", label: "Name" },
  { id: "model", label: "Embedding model", width: "220px" },
  { id: "chunks", label: "Chunks", align: "right" as const, width: "100px" },
  { id: "size", label: "Size", align: "right" as const, width: "100px" },
  { id: "project", label: "Project", width: "160px" },
  { id: "updated", label: "Changed", width: "120px" },
];

function CollectionList() {
  const mayChange = useMayChange();
  const collections = useCollections();
  const projectName = useProjectNames();
  const [query, setQuery] = useSearchParams();
  const [making, setMaking] = useState(false);
  const [, go] = useLocation();
  const text = query.get("q") ?? "";
  const all = collections.data ?? [];
  const found = all
    .filter((one) => `${one.name} ${one.description}`.toLowerCase().includes(text.toLowerCase()))
    .sort((one, other) => one.name.localeCompare(other.name));
  const create = mayChange && (
    <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
      New collection
    </Button>
  );
  return (
    <Page title="Knowledge" text="Collections of documents that agents search by meaning." actions={create}>
      {all.length > 0 && (
        <div className={layout.toolbar}>
          <SearchInput
            className={layout.search}
            label="Search collections"
            value={text}
            onChange={(value) => setQuery(value ? { q: value } : {}, { replace: true })}
          />
        </div>
      )}
      {collections.isPending && <Skeleton lines={5} />}
      {collections.error && <Problem error={collections.error} onRetry={() => void collections.refetch()} />}
      {collections.isSuccess && (
        <Table
          label="Collections"
          columns={COLUMNS}
          rows={found}
          rowKey={(one) => one.id}
          onOpen={(one) => go(urlPath`/knowledge/${one.id}`)}
          render={(one, column) => {
            if (column === "name") {
              return (
                <>
                  <div className={layout.name}>{one.name}</div>
                  {one.description && <div className={layout.faint}>{one.description}</div>}
                </>
              );
            }
            if (column === "model")
              return one.embeddingModel ? (
                <span className={layout.mono}>{one.embeddingModel}</span>
              ) : (
                <Badge>Not chosen yet</Badge>
              );
            if (column === "chunks") return count(one.chunkCount);
            if (column === "size") return <Bytes n={one.sizeBytes} />;
            if (column === "project") return <span className={layout.quiet}>{projectName(one.projectId)}</span>;
            return <Time at={one.updatedAt} />;
          }}
          empty={
            all.length === 0 ? (
              <Empty
                icon={LibraryBig}
                title="No knowledge yet"
                text="Put documents into a collection, connect a Knowledge Base Tool to an agent, and it answers from what they say. PDF, Word, Markdown, HTML, CSV and text are read."
                action={create}
              />
            ) : (
              <NothingFits text="No collection has this in its name or description." onClear={() => setQuery({})} />
            )
          }
        />
      )}
      {making && (
        <CollectionDialog onClose={() => setMaking(false)} onDone={(made) => made && go(urlPath`/knowledge/${made.id}`)} />
      )}
    </Page>
  );
}
