/** One collection: its documents, their chunks, new documents, and a search to try. */
import { FileText, Pencil, Trash2, Type } from "lucide-react";
import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { useLocalEmbeddings } from "../../api/localModels";
import { useCanEdit } from "../../api/session";
import { Facts } from "../../shared/Facts";
import { List } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import {
  AsyncContent,
  Button,
  bytes,
  confirm,
  count,
  EmptyState,
  Field,
  FormDialog,
  IconButton,
  Input,
  Page,
  plural,
  Tabs,
  TextArea,
  Time,
  toast,
  tryAction,
} from "../../ui";
import { ChunkList } from "./ChunkList";
import { CollectionDialog } from "./CollectionDialog";
import { EmbeddingNotice } from "./EmbeddingNotice";
import {
  addText,
  deleteCollection,
  deleteSource,
  useCollection,
  useSources,
  usesLocalEmbeddings,
} from "./knowledgeApi";
import { SearchPreview } from "./SearchPreview";
import { UploadPanel } from "./UploadPanel";

const COLUMNS = [
  { id: "name", label: "Document" },
  { id: "chunks", label: "Chunks", align: "right" as const, width: "110px" },
  { id: "added", label: "Added", width: "130px" },
];

export function CollectionView({ id }: { id: string }) {
  const canEdit = useCanEdit();
  const collection = useCollection(id);
  const sources = useSources(id);
  const local = useLocalEmbeddings();
  const [query, setQuery] = useSearchParams();
  const [, go] = useLocation();
  const [doing, setDoing] = useState<"change" | "text" | null>(null);
  const tab = query.get("tab") === "search" ? "search" : "documents";
  const opened = query.get("source");
  if (!collection.data) {
    return (
      <Page title="Collection">
        <AsyncContent query={collection} lines={6} />
      </Page>
    );
  }
  const { name, description, chunkCount, sizeBytes, embeddingModel, dimensions, credentialId } =
    collection.data;
  const isLocal = usesLocalEmbeddings(collection.data);
  const canEmbed = Boolean(credentialId) || (isLocal && local?.state === "ready");
  const removeSource = async (source: string) => {
    const sure = await confirm({
      title: `Delete ${source}?`,
      text: "Its chunks are deleted and agents can no longer find it.",
      action: "Delete",
      danger: true,
    });
    if (sure && (await tryAction(() => deleteSource(id, source))))
      toast({ text: `${source} deleted` });
  };
  const remove = async () => {
    const sure = await confirm({
      title: `Delete ${name}?`,
      text: `${plural(chunkCount, "chunk")} will be deleted. Agents that search this collection will fail.`,
      action: "Delete collection",
      danger: true,
    });
    if (sure && (await tryAction(() => deleteCollection(id)))) go("/knowledge", { replace: true });
  };
  const actions = canEdit && (
    <>
      <Button icon={Type} onClick={() => setDoing("text")} disabled={!canEmbed}>
        {" "}
        Add text{" "}
      </Button>
      <Button icon={Pencil} onClick={() => setDoing("change")}>
        {" "}
        Edit{" "}
      </Button>
      <IconButton icon={Trash2} label="Delete collection" kind="plain" onClick={remove} />
    </>
  );
  const facts = [
    plural(chunkCount, "chunk"),
    bytes(sizeBytes),
    embeddingModel
      ? `${embeddingModel}${dimensions ? ` (${count(dimensions)} dimensions)` : ""}`
      : !credentialId && "Built-in embedding model",
  ];
  return (
    <Page
      title={name}
      text={
        <Facts
          back={<Link href="/knowledge">All collections</Link>}
          facts={facts}
          text={description}
        />
      }
      actions={actions}
      tabs={
        <Tabs
          label="Collection tabs"
          value={tab}
          onChange={(next) => setQuery(next === "search" ? { tab: next } : {})}
          tabs={[
            { id: "documents", label: "Documents", count: sources.data?.length },
            { id: "search", label: "Test search" },
          ]}
        />
      }
    >
      <div className={layout.stack}>
        {!canEmbed && <EmbeddingNotice isLocal={isLocal} model={local} canEdit={canEdit} />}
        {tab === "search" ? (
          <SearchPreview collection={id} disabled={chunkCount === 0 || !canEmbed} />
        ) : (
          <>
            {canEmbed && canEdit && <UploadPanel collection={id} />}
            <List
              query={sources}
              lines={5}
              label="Documents"
              columns={COLUMNS}
              rowKey={(source) => source.name}
              onOpen={(source) => setQuery({ source: source.name })}
              render={(source, column) => {
                if (column === "name")
                  return <span className={layout.name}>{source.name || "Unnamed text"}</span>;
                if (column === "chunks") return count(source.chunkCount);
                return <Time at={source.createdAt} />;
              }}
              rowActions={
                canEdit
                  ? (source) => (
                      <IconButton
                        icon={Trash2}
                        label={`Delete ${source.name}`}
                        size="small"
                        onClick={() => void removeSource(source.name)}
                      />
                    )
                  : undefined
              }
              empty={
                <EmptyState
                  icon={FileText}
                  title="No documents yet"
                  text="Documents are split into chunks of about 1,000 characters and searched by meaning."
                />
              }
            />
          </>
        )}
      </div>
      {opened !== null && (
        <ChunkList collection={id} source={opened} onClose={() => setQuery({})} />
      )}
      {doing === "change" && (
        <CollectionDialog
          collection={collection.data}
          onClose={() => setDoing(null)}
          onDone={() => setDoing(null)}
        />
      )}
      {doing === "text" && <AddTextDialog collection={id} onClose={() => setDoing(null)} />}
    </Page>
  );
}

function AddTextDialog({ collection, onClose }: { collection: string; onClose: () => void }) {
  const [source, setSource] = useState("");
  const [text, setText] = useState("");
  const add = async () => {
    const chunks = await addText(collection, source.trim(), text);
    toast({ text: `${source.trim()} added as ${plural(chunks, "chunk")}`, tone: "good" });
  };
  return (
    <FormDialog
      title="Add text"
      action="Add text"
      disabled={text.trim() === "" || source.trim() === ""}
      onSubmit={add}
      onClose={onClose}
    >
      <Field label="Name" required hint="Replaces an existing text with the same name.">
        <Input
          value={source}
          onChange={(event) => setSource(event.target.value)}
          maxLength={1000}
          placeholder="Opening hours"
          autoFocus
        />
      </Field>
      <Field label="Text" required hint="Supports Markdown. Chunks follow the headings.">
        <TextArea rows={12} value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
