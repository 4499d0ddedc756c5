/** All credentials one may see: what each is for, whose it is, whether it works. */
import { CircleCheck, Ellipsis, FolderInput, KeyRound, LoaderCircle, Pencil, PlugZap, Plus, Share2, Trash2 } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { useMayChange } from "../../api/session";
import {
  attempt,
  Badge,
  Button,
  Chip,
  confirm,
  Empty,
  IconButton,
  Menu,
  NothingFits,
  Page,
  Problem,
  SearchInput,
  Select,
  Skeleton,
  Table,
  Time,
  toast,
} from "../../ui";
import layout from "../layout.module.css";
import { useProjectNames } from "../settings/projectData";
import { CredentialDialog } from "./CredentialDialog";
import { type Credential, deleteCredential, testCredential, useCredentials } from "./data";
import { kindOf } from "./kinds";
import { MoveDialog } from "./MoveDialog";
import { ShareDialog } from "./ShareDialog";

const COLUMNS = [
  { id: "name", label: "Name", width: "34%" },
  { id: "type", label: "For" },
  { id: "project", label: "Project" },
  { id: "updated", label: "Changed", width: "120px" },
];

type Doing = { what: "create" } | { what: "edit" | "share" | "move"; credential: Credential };
type Tested = Record<string, "testing" | "OK" | "Error">;

export default function CredentialsPage() {
  const mayChange = useMayChange();
  const credentials = useCredentials();
  const projectName = useProjectNames();
  const [query, setQuery] = useSearchParams();
  const [doing, setDoing] = useState<Doing | null>(null);
  const [tested, setTested] = useState<Tested>({});
  const text = query.get("q") ?? "";
  const type = query.get("type");
  const all = credentials.data ?? [];
  const found = all
    .filter(
      (one) =>
        (type === null || one.type === type) && `${one.name} ${kindOf(one.type).name}`.toLowerCase().includes(text.toLowerCase()),
    )
    .sort((one, other) => one.name.localeCompare(other.name));
  const filter = (name: string, value: string | null) =>
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
    toast({ text: `${credential.name}: ${result.message}`, tone: result.status === "OK" ? "good" : "bad" });
  };
  const remove = async (credential: Credential) => {
    const sure = await confirm({
      title: `Delete ${credential.name}?`,
      text: "Workflows that use it will fail until another credential is chosen in their nodes. What it holds cannot be brought back.",
      action: "Delete",
      danger: true,
    });
    if (sure && (await attempt(() => deleteCredential(credential.id)))) toast({ text: `${credential.name} was deleted` });
  };
  const create = mayChange && (
    <Button kind="primary" icon={Plus} onClick={() => setDoing({ what: "create" })}>
      New credential
    </Button>
  );
  const kinds = [...new Set(all.map((one) => one.type))].map((one) => ({ value: one, label: kindOf(one).name }));

  return (
    <Page
      title="Credentials"
      text="Keys and passwords that nodes use. They are encrypted, and never shown again."
      actions={create}
    >
      {all.length > 0 && (
        <div className={layout.toolbar}>
          <SearchInput
            className={layout.search}
            label="Search credentials"
            value={text}
            onChange={(value) => filter("q", value)}
          />
          <Select
            className={layout.choice}
            label="For"
            value={type ?? undefined}
            placeholder="Any service"
            options={kinds}
            onChange={(value) => filter("type", value)}
          />
          {type && <Chip label={kindOf(type).name} onRemove={() => filter("type", null)} removeLabel="Show all services" />}
        </div>
      )}
      {credentials.isPending && <Skeleton lines={6} />}
      {credentials.error && <Problem error={credentials.error} onRetry={() => void credentials.refetch()} />}
      {credentials.isSuccess && (
        <Table
          label="Credentials"
          columns={COLUMNS}
          rows={found}
          rowKey={(row) => row.id}
          onOpen={mayChange ? (credential) => setDoing({ what: "edit", credential }) : undefined}
          render={(row, column) => {
            if (column === "name") return <Name credential={row} state={tested[row.id]} />;
            if (column === "type") return <span className={layout.quiet}>{kindOf(row.type).name}</span>;
            if (column === "project") return <Where credential={row} name={projectName(row.projectId)} />;
            return <Time at={row.updatedAt} />;
          }}
          actions={(credential) =>
            mayChange && (
              <Menu
                trigger={<IconButton icon={Ellipsis} label={`Actions for ${credential.name}`} size="small" />}
                items={[
                  { label: "Change", icon: Pencil, onSelect: () => setDoing({ what: "edit", credential }) },
                  { label: "Test", icon: PlugZap, onSelect: () => void test(credential) },
                  { label: "Share", icon: Share2, onSelect: () => setDoing({ what: "share", credential }) },
                  { label: "Move to a project", icon: FolderInput, onSelect: () => setDoing({ what: "move", credential }) },
                  null,
                  { label: "Delete", icon: Trash2, danger: true, onSelect: () => void remove(credential) },
                ]}
              />
            )
          }
          empty={
            all.length === 0 ? (
              <Empty
                icon={KeyRound}
                title="No credentials yet"
                text="A credential lets nodes sign in somewhere: at a model provider, a database, a mail server, any API. Make it once and use it in every workflow."
                action={create}
              />
            ) : (
              <NothingFits text="No credential has this name or service." onClear={() => setQuery({})} />
            )
          }
        />
      )}
      <CredentialDialog
        open={doing?.what === "create" || query.has("new")}
        onClose={() => {
          setDoing(null);
          if (query.has("new")) filter("new", null);
        }}
      />
      {doing?.what === "edit" && <CredentialDialog open credential={doing.credential} onClose={() => setDoing(null)} />}
      {doing?.what === "share" && <ShareDialog credential={doing.credential} onClose={() => setDoing(null)} />}
      {doing?.what === "move" && <MoveDialog credential={doing.credential} onClose={() => setDoing(null)} />}
    </Page>
  );
}

function Name({ credential, state }: { credential: Credential; state: Tested[string] | undefined }) {
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

function Where({ credential, name }: { credential: Credential; name: string }) {
  const shared = credential.sharedWith?.length ?? 0;
  return (
    <span className={layout.quiet}>
      {name || "–"}
      {shared > 0 && ` and ${shared} more`}
    </span>
  );
}
