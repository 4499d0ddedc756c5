/** One collection: its documents, their chunks, new documents, and a search to try. */
import { FileText, Pencil, Trash2, Type } from "lucide-react";
import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { useMayChange } from "../../api/session";
import {
  attempt,
  Badge,
  Button,
  bytes,
  confirm,
  count,
  Dialog,
  Empty,
  Field,
  IconButton,
  Input,
  Page,
  Problem,
  plural,
  Skeleton,
  Table,
  Tabs,
  TextArea,
  Time,
  toast,
  useTask,
} from "../../ui";
import { Facts } from "../Facts";
import layout from "../layout.module.css";
import { Chunks } from "./Chunks";
import { CollectionDialog } from "./CollectionDialog";
import { addText, deleteCollection, deleteSource, useCollection, useSources } from "./data";
import { SearchTry } from "./SearchTry";
import { Uploads } from "./Uploads";

const COLUMNS = [
  { id: "name", label: "Document" },
  { id: "chunks", label: "Chunks", align: "right" as const, width: "110px" },
  { id: "added", label: "Added", width: "130px" },
];

export function CollectionView({ id }: { id: string }) {
  const mayChange = useMayChange();
  const collection = useCollection(id);
  const sources = useSources(id);
  const [query, setQuery] = useSearchParams();
  const [, go] = useLocation();
  const [doing, setDoing] = useState<"change" | "text" | null>(null);
  const tab = query.get("tab") === "search" ? "search" : "documents";
  const opened = query.get("source");
  if (collection.error) {
    return (
      <Page title="Collection">
        <Problem error={collection.error} onRetry={() => void collection.refetch()} />
      </Page>
    );
  }
  if (!collection.data) {
    return (
      <Page title="Collection">
        <Skeleton lines={6} />
      </Page>
    );
  }
  const { name, description, chunkCount, sizeBytes, embeddingModel, dimensions, credentialId } = collection.data;
  const removeSource = async (source: string) => {
    const sure = await confirm({
      title: `Delete ${source}?`,
      text: "Its chunks are deleted, and agents do not find it any more.",
      action: "Delete",
      danger: true,
    });
    if (sure && (await attempt(() => deleteSource(id, source)))) toast({ text: `${source} was deleted` });
  };
  const remove = async () => {
    const sure = await confirm({
      title: `Delete ${name}?`,
      text: `All ${plural(chunkCount, "chunk")} are deleted. Agents that search it will fail.`,
      action: "Delete collection",
      danger: true,
    });
    if (sure && (await attempt(() => deleteCollection(id)))) go("/knowledge", { replace: true });
  };
  const actions = mayChange && (
    <>
      <Button icon={Type} onClick={() => setDoing("text")} disabled={!credentialId}>
        Add a text
      </Button>
      <Button icon={Pencil} onClick={() => setDoing("change")}>
        Change
      </Button>
      <IconButton icon={Trash2} label="Delete collection" kind="plain" onClick={remove} />
    </>
  );
  const facts = [
    plural(chunkCount, "chunk"),
    bytes(sizeBytes),
    embeddingModel && `${embeddingModel}${dimensions ? ` (${count(dimensions)} dimensions)` : ""}`,
  ];
  return (
    <Page
      title={name}
      text={<Facts back={<Link href="/knowledge">All collections</Link>} facts={facts} text={description} />}
      actions={actions}
      tabs={
        <Tabs
          label="Parts of the collection"
          value={tab}
          onChange={(next) => setQuery(next === "search" ? { tab: next } : {})}
          tabs={[
            { id: "documents", label: "Documents", count: sources.data?.length },
            { id: "search", label: "Try a search" },
          ]}
        />
      }
    >
      <div className={layout.stack}>
        {!credentialId && (
          <div className={layout.note}>
            <Badge tone="wait">No credential</Badge>{" "}
            {mayChange ? (
              <>
                Documents can be added here and searched once a credential with embedding models is chosen under <em>Change</em>.
              </>
            ) : (
              "It can be searched here once somebody has chosen a credential with embedding models for it."
            )}{" "}
            Workflows can fill the collection without it.
          </div>
        )}
        {tab === "search" ? (
          <SearchTry collection={id} disabled={chunkCount === 0 || !credentialId} />
        ) : (
          <>
            {credentialId && mayChange && <Uploads collection={id} />}
            {sources.isPending && <Skeleton lines={5} />}
            {sources.error && <Problem error={sources.error} onRetry={() => void sources.refetch()} />}
            {sources.isSuccess && (
              <Table
                label="Documents"
                columns={COLUMNS}
                rows={sources.data}
                rowKey={(source) => source.name}
                onOpen={(source) => setQuery({ source: source.name })}
                render={(source, column) => {
                  if (column === "name") return <span className={layout.name}>{source.name || "Texts without a name"}</span>;
                  if (column === "chunks") return count(source.chunkCount);
                  return <Time at={source.createdAt} />;
                }}
                actions={
                  mayChange
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
                  <Empty
                    icon={FileText}
                    title="No documents yet"
                    text="Each document is cut into chunks of about a thousand letters, which are found by their meaning."
                  />
                }
              />
            )}
          </>
        )}
      </div>
      {opened !== null && <Chunks collection={id} source={opened} onClose={() => setQuery({})} />}
      {doing === "change" && (
        <CollectionDialog collection={collection.data} onClose={() => setDoing(null)} onDone={() => setDoing(null)} />
      )}
      {doing === "text" && <TextDialog collection={id} onClose={() => setDoing(null)} />}
    </Page>
  );
}

function TextDialog({ collection, onClose }: { collection: string; onClose: () => void }) {
  const [source, setSource] = useState("");
  const [text, setText] = useState("");
  const task = useTask();
  const add = async () => {
    const done = await task.run(async () => {
      const chunks = await addText(collection, source.trim(), text);
      toast({ text: `${source.trim()} was added in ${plural(chunks, "chunk")}`, tone: "good" });
    });
    if (done) onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} disabled={text.trim() === "" || source.trim() === ""} onClick={add}>
        Add text
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title="Add a text" footer={footer}>
      <div className={layout.stack}>
        <Field label="Name" required hint="A text of the same name is replaced.">
          <Input
            value={source}
            onChange={(event) => setSource(event.target.value)}
            maxLength={1000}
            placeholder="Opening hours"
            autoFocus
          />
        </Field>
        <Field label="Text" required hint="Markdown is understood: headings keep chunks together.">
          <TextArea rows={12} value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
        {Boolean(task.error) && <Problem error={task.error} />}
      </div>
    </Dialog>
  );
}
