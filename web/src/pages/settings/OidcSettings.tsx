/** Whether one signs in with the OpenID Connect provider, if there is one. */
import { useState } from "react";
import { useSearchParams } from "wouter";
import layout from "../../shared/layout.module.css";
import { Badge, Button, confirm, FormDialog, toast, tryAction } from "../../ui";
import { CodeField } from "../setup/CodeField";
import { oidcMessage } from "../setup/oidcMessages";
import { CurrentPassword } from "./AccountForms";
import { beginOidcConnection, disconnectOidc, useOidc } from "./oidcApi";
import { useTwoFactor } from "./twoFactorApi";

export function OidcSettings() {
  const { data } = useOidc();
  const [query] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  if (!data?.name) return null;
  const { name, isConnected } = data;
  const refusal = oidcMessage(query.get("oidc"), name);
  const disconnect = async () => {
    const sure = await confirm({
      title: `Disconnect ${name}?`,
      text: "You will sign in with your password.",
      action: "Disconnect",
    });
    if (sure && (await tryAction(disconnectOidc))) toast({ text: `${name} is disconnected.` });
  };
  return (
    <section className={layout.card} aria-label={`Sign-in with ${name}`}>
      <div className={layout.row}>
        <h2 className={layout.cardTitle}>Sign-in with {name}</h2>
        {isConnected && <Badge tone="good">Connected</Badge>}
      </div>
      <div className={layout.stack}>
        {refusal && !isConnected && (
          <p className={layout.warning} role="alert">
            {refusal}
          </p>
        )}
        <p className={layout.quiet}>
          {isConnected
            ? `You can sign in with ${name} as well as with your password.`
            : `Connect your ${name} account to sign in without your password.`}
        </p>
        <div className={layout.row}>
          {isConnected ? (
            <Button onClick={() => void disconnect()}>Disconnect</Button>
          ) : (
            <Button onClick={() => setOpen(true)}>Connect</Button>
          )}
        </div>
      </div>
      {isOpen && <ConnectDialog name={name} onClose={() => setOpen(false)} />}
    </section>
  );
}

function ConnectDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const needsCode = useTwoFactor().data?.isEnabled === true;
  const [currentPassword, setPassword] = useState("");
  const [code, setCode] = useState("");
  return (
    <FormDialog
      title={`Connect ${name}`}
      action={`Continue to ${name}`}
      invalid={currentPassword === "" || (needsCode && code.trim() === "")}
      onSubmit={async () => {
        const body = { currentPassword, code: needsCode ? code.trim() : undefined };
        window.location.assign(await beginOidcConnection(body));
        return false;
      }}
      onClose={onClose}
    >
      <p className={layout.quiet}>Confirm that it is you. {name} then asks who you are there.</p>
      <CurrentPassword value={currentPassword} onChange={setPassword} />
      {needsCode && <CodeField value={code} onChange={setCode} />}
    </FormDialog>
  );
}
