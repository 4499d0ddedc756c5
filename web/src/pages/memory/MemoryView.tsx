/** One memory: how it is used, a search in it, its entries, and what can be deleted. */

import { Trash2, UserX } from "lucide-react";
import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { useProjectNames } from "../../api/projects";
import { useCanEdit } from "../../api/session";
import { Facts } from "../../shared/Facts";
import { Figures } from "../../shared/Figures";
import layout from "../../shared/layout.module.css";
import {
  AsyncContent,
  Button,
  bytes,
  confirm,
  count,
  IconButton,
  Page,
  plural,
  toast,
  tryAction,
} from "../../ui";
import { EntryDialog } from "./EntryDialog";
import { EntryFilters } from "./EntryFilters";
import { EntryList } from "./EntryList";
import { deleteMemory, type Memory, type MemoryEntry, useMemory } from "./memoryApi";
import { hitRate, readFilters } from "./memoryEntries";
import { SubjectDialog } from "./SubjectDialog";

export function MemoryView({ id }: { id: string }) {
  const memory = useMemory(id);
  if (!memory.data) {
    return (
      <Page title="Memory">
        <AsyncContent query={memory} lines={6} />
      </Page>
    );
  }
  return <LoadedMemory memory={memory.data} />;
}

function LoadedMemory({ memory }: { memory: Memory }) {
  const canEdit = useCanEdit();
  const projectName = useProjectNames();
  const [params] = useSearchParams();
  const filters = readFilters(params);
  const [opened, setOpened] = useState<MemoryEntry | null>(null);
  const [forgetting, setForgetting] = useState<string | null>(null);
  const [, go] = useLocation();
  const remove = async () => {
    const sure = await confirm({
      title: `Delete ${memory.name}?`,
      text: `${plural(memory.entryCount, "entry", "entries")} and all waiting turns will be deleted. Agents with this memory begin anew.`,
      action: "Delete memory",
      danger: true,
    });
    if (!sure || !(await tryAction(() => deleteMemory(memory.id)))) return;
    toast({ text: `${memory.name} deleted` });
    go("/memory", { replace: true });
  };
  const actions = canEdit && (
    <>
      <Button icon={UserX} onClick={() => setForgetting(filters.subject)}>
        Delete a user's data
      </Button>
      <IconButton icon={Trash2} label="Delete memory" kind="plain" onClick={() => void remove()} />
    </>
  );
  const facts = [
    projectName(memory.projectId),
    memory.embeddingModel
      ? `${memory.embeddingModel}${memory.dimensions ? ` (${count(memory.dimensions)} dimensions)` : ""}`
      : "Found by words and time",
  ];
  return (
    <Page
      title={memory.name}
      text={<Facts back={<Link href="/memory">All memories</Link>} facts={facts} />}
      actions={actions}
    >
      <div className={layout.stack}>
        <Figures label="Statistics" figures={figuresOf(memory)} />
        <EntryFilters filters={filters} />
        <EntryList
          memory={memory}
          filters={filters}
          onOpen={setOpened}
          onForget={canEdit ? setForgetting : undefined}
        />
      </div>
      {opened && (
        <EntryDialog
          key={opened.id}
          memoryId={memory.id}
          entry={opened}
          canEdit={canEdit}
          onOpen={setOpened}
          onForget={(subject) => {
            setOpened(null);
            setForgetting(subject);
          }}
          onClose={() => setOpened(null)}
        />
      )}
      {forgetting !== null && (
        <SubjectDialog memory={memory} subject={forgetting} onClose={() => setForgetting(null)} />
      )}
    </Page>
  );
}

function figuresOf(memory: Memory) {
  return [
    ["Entries", count(memory.entryCount)],
    ["Size", bytes(memory.sizeBytes)],
    ["Reads", count(memory.reads)],
    [
      "Reads with results",
      hitRate(memory),
      memory.reads > 0 ? `${count(memory.hits)} of ${count(memory.reads)}` : undefined,
    ],
    ["Writes", count(memory.writes)],
    ["Turns that wait", count(memory.pendingTurns)],
  ] as const;
}
