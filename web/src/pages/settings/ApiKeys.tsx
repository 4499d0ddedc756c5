/** One's own API keys: made with just the scopes they need, shown once, revoked at any time. */
import { KeyRound, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import {
  attempt,
  Badge,
  Button,
  CopyButton,
  confirm,
  Dialog,
  Empty,
  IconButton,
  Problem,
  Skeleton,
  Table,
  Time,
  toast,
} from "../../ui";
import layout from "../layout.module.css";
import { type ApiKey, type NewKey, revokeKey, scopeWords, useKeys } from "./keys";
import { NewKeyDialog } from "./NewKeyDialog";

const COLUMNS = [
  { id: "label", label: "Name" },
  { id: "key", label: "Key", width: "140px" },
  { id: "scopes", label: "May do" },
  { id: "made", label: "Made", width: "110px" },
  { id: "ends", label: "Ends", width: "130px" },
];

export function ApiKeys() {
  const keys = useKeys();
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<NewKey | null>(null);
  const revoke = async (key: ApiKey) => {
    const sure = await confirm({
      title: `Revoke ${key.label}?`,
      text: "Whatever uses this key is refused from now on. This cannot be undone.",
      action: "Revoke",
      danger: true,
    });
    if (sure && (await attempt(() => revokeKey(key.id)))) toast({ text: `${key.label} was revoked` });
  };
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
      New key
    </Button>
  );
  return (
    <>
      <div className={layout.toolbar}>
        <p className={layout.quiet}>
          Programs send a key as <code>X-N8N-API-KEY</code>. All operations are described at{" "}
          <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.
        </p>
        <span className={layout.push}>{create}</span>
      </div>
      {keys.isPending && <Skeleton lines={4} />}
      {keys.error && <Problem error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.data && (
        <Table
          label="API keys"
          columns={COLUMNS}
          rows={keys.data}
          rowKey={(key) => key.id}
          render={(key, column) => {
            if (column === "label") return <span className={layout.name}>{key.label}</span>;
            if (column === "key") return <code className={layout.quiet}>{key.apiKey}</code>;
            if (column === "scopes") return <span title={key.scopes.join(", ")}>{scopeWords(key.scopes)}</span>;
            if (column === "made") return <Time at={key.createdAt} />;
            if (!key.expiresAt) return <span className={layout.faint}>Never</span>;
            return new Date(key.expiresAt) < new Date() ? <Badge tone="bad">Ended</Badge> : <Time at={key.expiresAt} />;
          }}
          actions={(key) => (
            <IconButton icon={Trash2} label={`Revoke ${key.label}`} size="small" onClick={() => void revoke(key)} />
          )}
          empty={
            <Empty
              icon={KeyRound}
              title="No keys yet"
              text="A key lets a program do what you may, or less. Give it only the scopes it needs, and an end."
              action={create}
            />
          }
        />
      )}
      {making && (
        <NewKeyDialog
          onClose={() => setMaking(false)}
          onDone={(key) => {
            setMaking(false);
            setMade(key);
          }}
        />
      )}
      {made && (
        <Dialog
          open
          onClose={() => setMade(null)}
          title={`The key ${made.label}`}
          footer={
            <Button kind="primary" onClick={() => setMade(null)}>
              I have copied it
            </Button>
          }
        >
          <div className={layout.stack}>
            <p className={layout.quiet}>It is shown this once. Keep it where your program finds it and nobody else does.</p>
            <div className={layout.secret}>
              <span>{made.rawApiKey}</span>
              <CopyButton text={made.rawApiKey} label="Copy the key" />
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
