/** Knowledge: the collections, and one of them. */

import { LibraryBig, Plus } from "lucide-react";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import { useProjectNames } from "../../api/projects";
import { useCanEdit } from "../../api/session";
import { urlPath } from "../../api/url";
import { SearchListPage } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import { Badge, Button, Bytes, count, EmptyState, Time } from "../../ui";
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
  const [making, setMaking] = useState(false);
  const [, go] = useLocation();
  const create = canEdit && (
    <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
      New collection
    </Button>
  );
  return (
    <SearchListPage
      text="Document collections that agents can search by meaning."
      actions={create}
      query={collections}
      lines={5}
      searchLabel="Search collections"
      textOf={(one) => `${one.name} ${one.description}`}
      order={(one, other) => one.name.localeCompare(other.name)}
      label="Collections"
      columns={COLUMNS}
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
            <Badge>Not set</Badge>
          );
        if (column === "chunks") return count(one.chunkCount);
        if (column === "size") return <Bytes n={one.sizeBytes} />;
        if (column === "project")
          return <span className={layout.quiet}>{projectName(one.projectId)}</span>;
        return <Time at={one.updatedAt} />;
      }}
      empty={
        <EmptyState
          icon={LibraryBig}
          title="No knowledge yet"
          text="Add documents to a collection and connect a Knowledge Base Tool to an agent. Supports PDF, Word, Markdown, HTML, CSV and text."
          action={create}
        />
      }
      noMatches="No collections match this search."
    >
      {making && (
        <CollectionDialog
          onClose={() => setMaking(false)}
          onDone={(made) => made && go(urlPath`/knowledge/${made.id}`)}
        />
      )}
    </SearchListPage>
  );
}
