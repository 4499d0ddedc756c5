/** One's own API keys: made with just the scopes they need, shown once, revoked at any time. */
import { KeyRound, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { ListSection } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import {
  Badge,
  Button,
  CopyButton,
  confirm,
  Dialog,
  EmptyState,
  IconButton,
  Time,
  toast,
  tryAction,
} from "../../ui";
import { type ApiKey, describeScopes, type NewApiKey, revokeApiKey, useApiKeys } from "./apiKeyApi";
import { NewApiKeyDialog } from "./NewApiKeyDialog";

const COLUMNS = [
  { id: "label", label: "Name" },
  { id: "key", label: "Key", width: "140px" },
  { id: "scopes", label: "Scopes" },
  { id: "made", label: "Created", width: "110px" },
  { id: "ends", label: "Expires", width: "130px" },
];

export function ApiKeySettings() {
  const keys = useApiKeys();
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<NewApiKey | null>(null);
  const revoke = async (key: ApiKey) => {
    const sure = await confirm({
      title: `Revoke ${key.label}?`,
      text: "Requests with this key will be rejected. This cannot be undone.",
      action: "Revoke",
      danger: true,
    });
    if (sure && (await tryAction(() => revokeApiKey(key.id))))
      toast({ text: `${key.label} revoked` });
  };
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
      {" "}
      New API key{" "}
    </Button>
  );
  return (
    <ListSection
      text={
        <>
          Send the key in the <code>X-N8N-API-KEY</code> header. See the API reference at{" "}
          <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.
        </>
      }
      actions={create}
      query={keys}
      lines={4}
      label="API keys"
      columns={COLUMNS}
      rowKey={(key) => key.id}
      render={(key, column) => {
        if (column === "label") return <span className={layout.name}>{key.label}</span>;
        if (column === "key") return <code className={layout.quiet}>{key.apiKey}</code>;
        if (column === "scopes")
          return <span title={key.scopes.join(", ")}>{describeScopes(key.scopes)}</span>;
        if (column === "made") return <Time at={key.createdAt} />;
        if (!key.expiresAt) return <span className={layout.faint}>Never</span>;
        return new Date(key.expiresAt) < new Date() ? (
          <Badge tone="bad">Expired</Badge>
        ) : (
          <Time at={key.expiresAt} />
        );
      }}
      rowActions={(key) => (
        <IconButton
          icon={Trash2}
          label={`Revoke ${key.label}`}
          size="small"
          onClick={() => void revoke(key)}
        />
      )}
      empty={
        <EmptyState
          icon={KeyRound}
          title="No API keys yet"
          text="API keys give programs your permissions, or fewer. Grant only the scopes you need and set an expiry."
          action={create}
        />
      }
    >
      {making && (
        <NewApiKeyDialog
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
          title={`API key ${made.label}`}
          footer={
            <Button kind="primary" onClick={() => setMade(null)}>
              Done
            </Button>
          }
        >
          <div className={layout.stack}>
            <p className={layout.quiet}>Copy the key now. It will not be shown again.</p>
            <div className={layout.secret}>
              <span>{made.rawApiKey}</span>
              <CopyButton text={made.rawApiKey} label="Copy API key" />
            </div>
          </div>
        </Dialog>
      )}
    </ListSection>
  );
}
