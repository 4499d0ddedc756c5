/** All credentials one may see: what each is for, whose it is, whether it works. */
import {
  CircleCheck,
  Ellipsis,
  FolderInput,
  KeyRound,
  LoaderCircle,
  Pencil,
  PlugZap,
  Plus,
  Share2,
  Trash2,
} from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { useProjectNames } from "../../api/projects";
import { useCanEdit } from "../../api/session";
import { CredentialDialog } from "../../credentials/CredentialDialog";
import {
  type Credential,
  deleteCredential,
  testCredential,
  useCredentials,
} from "../../credentials/credentialApi";
import { useCredentialTypes } from "../../credentials/credentialTypes";
import { SearchListPage } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import {
  Badge,
  Button,
  Chip,
  confirm,
  EmptyState,
  IconButton,
  Menu,
  Select,
  Time,
  toast,
  tryAction,
} from "../../ui";
import { MoveCredentialDialog } from "./MoveCredentialDialog";
import { ShareCredentialDialog } from "./ShareCredentialDialog";

const COLUMNS = [
  { id: "name", label: "Name", width: "34%" },
  { id: "type", label: "Type" },
  { id: "project", label: "Project" },
  { id: "updated", label: "Updated", width: "120px" },
];

type OpenDialog = { what: "create" } | { what: "edit" | "share" | "move"; credential: Credential };
type TestState = Record<string, "testing" | "OK" | "Error">;

export default function CredentialsPage() {
  const canEdit = useCanEdit();
  const credentials = useCredentials();
  const types = useCredentialTypes();
  const projectName = useProjectNames();
  const [query, setQuery] = useSearchParams();
  const [doing, setDoing] = useState<OpenDialog | null>(null);
  const [tested, setTested] = useState<TestState>({});
  const type = query.get("type");
  const all = credentials.data ?? [];
  const setParam = (name: string, value: string | null) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete("new");
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );

  const test = async (credential: Credential) => {
    setTested((before) => ({ ...before, [credential.id]: "testing" }));
    const result = await testCredential(credential.id).catch((error: Error) => ({
      status: "Error" as const,
      message: error.message,
    }));
    setTested((before) => ({ ...before, [credential.id]: result.status }));
    toast({
      text: `${credential.name}: ${result.message}`,
      tone: result.status === "OK" ? "good" : "bad",
    });
  };
  const remove = async (credential: Credential) => {
    const sure = await confirm({
      title: `Delete ${credential.name}?`,
      text: "Workflows that use it will fail until you select another credential. This cannot be undone.",
      action: "Delete",
      danger: true,
    });
    if (sure && (await tryAction(() => deleteCredential(credential.id))))
      toast({ text: `${credential.name} deleted` });
  };
  const create = canEdit && (
    <Button kind="primary" icon={Plus} onClick={() => setDoing({ what: "create" })}>
      New credential
    </Button>
  );
  const kinds = [...new Set(all.map((one) => one.type))].map((one) => ({
    value: one,
    label: types.find(one).name,
  }));

  return (
    <SearchListPage
      text="Keys and passwords for nodes. Encrypted and never shown again."
      actions={create}
      query={credentials}
      lines={6}
      searchLabel="Search credentials"
      textOf={(one) => `${one.name} ${types.find(one.type).name}`}
      filter={(one) => type === null || one.type === type}
      order={(one, other) => one.name.localeCompare(other.name)}
      filters={
        <>
          <Select
            className={layout.choice}
            label="Type"
            value={type ?? undefined}
            placeholder="All services"
            options={kinds}
            onChange={(value) => setParam("type", value)}
          />
          {type && (
            <Chip
              label={types.find(type).name}
              onRemove={() => setParam("type", null)}
              removeLabel="Remove type filter"
            />
          )}
        </>
      }
      label="Credentials"
      columns={COLUMNS}
      rowKey={(row) => row.id}
      onOpen={canEdit ? (credential) => setDoing({ what: "edit", credential }) : undefined}
      render={(row, column) => {
        if (column === "name") return <NameCell credential={row} state={tested[row.id]} />;
        if (column === "type")
          return <span className={layout.quiet}>{types.find(row.type).name}</span>;
        if (column === "project")
          return <ProjectCell credential={row} name={projectName(row.projectId)} />;
        return <Time at={row.updatedAt} />;
      }}
      rowActions={(credential) =>
        canEdit && (
          <Menu
            trigger={
              <IconButton icon={Ellipsis} label={`Actions for ${credential.name}`} size="small" />
            }
            items={[
              {
                label: "Edit",
                icon: Pencil,
                onSelect: () => setDoing({ what: "edit", credential }),
              },
              { label: "Test", icon: PlugZap, onSelect: () => void test(credential) },
              {
                label: "Share",
                icon: Share2,
                onSelect: () => setDoing({ what: "share", credential }),
              },
              {
                label: "Move to project",
                icon: FolderInput,
                onSelect: () => setDoing({ what: "move", credential }),
              },
              null,
              {
                label: "Delete",
                icon: Trash2,
                danger: true,
                onSelect: () => void remove(credential),
              },
            ]}
          />
        )
      }
      empty={
        <EmptyState
          icon={KeyRound}
          title="No credentials yet"
          text="Credentials let nodes sign in to model providers, databases, mail servers and APIs. Create one and use it in any workflow."
          action={create}
        />
      }
      noMatches="No credentials match these filters."
    >
      <CredentialDialog
        open={doing?.what === "create" || query.has("new")}
        onClose={() => {
          setDoing(null);
          if (query.has("new")) setParam("new", null);
        }}
      />
      {doing?.what === "edit" && (
        <CredentialDialog open credential={doing.credential} onClose={() => setDoing(null)} />
      )}
      {doing?.what === "share" && (
        <ShareCredentialDialog credential={doing.credential} onClose={() => setDoing(null)} />
      )}
      {doing?.what === "move" && (
        <MoveCredentialDialog credential={doing.credential} onClose={() => setDoing(null)} />
      )}
    </SearchListPage>
  );
}

function NameCell({
  credential,
  state,
}: {
  credential: Credential;
  state: TestState[string] | undefined;
}) {
  return (
    <span className={layout.row}>
      <span className={layout.name}>{credential.name}</span>
      {state === "testing" && <LoaderCircle size={14} aria-label="Testing" />}
      {state === "OK" && (
        <Badge tone="good">
          <CircleCheck size={12} aria-hidden /> Works
        </Badge>
      )}
      {state === "Error" && <Badge tone="bad">Test failed</Badge>}
    </span>
  );
}

function ProjectCell({ credential, name }: { credential: Credential; name: string }) {
  const shared = credential.sharedWith?.length ?? 0;
  return (
    <span className={layout.quiet}>
      {name || "–"}
      {shared > 0 && ` and ${shared} more`}
    </span>
  );
}
