/** Knowledge: the collections, and one of them. */

import { LibraryBig, Plus } from "lucide-react";
import { useState } from "react";
import { useLocation, useParams, useSearchParams } from "wouter";
import { useCanEdit } from "../../api/session";
import { urlPath } from "../../api/url";
import {
  Badge,
  Button,
  Bytes,
  count,
  EmptyState,
  ErrorState,
  NoMatches,
  Page,
  SearchInput,
  Skeleton,
  Table,
  Time,
} from "../../ui";
import layout from "../layout.module.css";
import { useProjectNames } from "../settings/projectApi";
import { CollectionDialog } from "./CollectionDialog";
import { CollectionView } from "./CollectionView";
import { useCollections } from "./knowledgeApi";

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
  { id: "updated", label: "Updated", width: "120px" },
];

function CollectionList() {
  const canEdit = useCanEdit();
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
  const create = canEdit && (
    <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
      New collection
    </Button>
  );
  return (
    <Page title="Knowledge" text="Document collections that agents can search by meaning." actions={create}>
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
      {collections.error && <ErrorState error={collections.error} onRetry={() => void collections.refetch()} />}
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
              return one.embeddingModel ? <span className={layout.mono}>{one.embeddingModel}</span> : <Badge>Not set</Badge>;
            if (column === "chunks") return count(one.chunkCount);
            if (column === "size") return <Bytes n={one.sizeBytes} />;
            if (column === "project") return <span className={layout.quiet}>{projectName(one.projectId)}</span>;
            return <Time at={one.updatedAt} />;
          }}
          empty={
            all.length === 0 ? (
              <EmptyState
                icon={LibraryBig}
                title="No knowledge yet"
                text="Add documents to a collection and connect a Knowledge Base Tool to an agent. Supports PDF, Word, Markdown, HTML, CSV and text."
                action={create}
              />
            ) : (
              <NoMatches text="No collections match this search." onClear={() => setQuery({})} />
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
