/** Two-factor authentication: whether an app is asked for, and setting it up. */
import { useState } from "react";
import layout from "../../shared/layout.module.css";
import { Badge, Button, ErrorState, FormDialog, toast } from "../../ui";
import { CodeField } from "../setup/CodeField";
import { CurrentPassword } from "./AccountForms";
import { RecoveryCodesDialog } from "./RecoveryCodesDialog";
import { TwoFactorSetupDialog } from "./TwoFactorSetupDialog";
import { disableTwoFactor, renewRecoveryCodes, useTwoFactor } from "./twoFactorApi";

/** Fewer recovery codes than this are worth a word. */
const FEW_CODES = 3;

type Open = "setup" | "renew" | "disable";

export function TwoFactorSettings() {
  const { data, error } = useTwoFactor();
  const [open, setOpen] = useState<Open | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setOpen(null);
  return (
    <section className={layout.card} aria-label="Two-factor authentication">
      <div className={layout.row}>
        <h2 className={layout.cardTitle}>Two-factor authentication</h2>
        {data?.isEnabled && <Badge tone="good">On</Badge>}
      </div>
      {Boolean(error) && <ErrorState error={error} />}
      {data && (
        <div className={layout.stack}>
          <p className={layout.quiet}>
            {data.isEnabled
              ? "Signing in takes your password and a code from your authenticator app."
              : "Signing in then takes a code from an app on your phone as well as your password, so a stolen password is not enough."}
          </p>
          {data.isEnabled && data.recoveryCodesLeft < FEW_CODES && (
            <p className={layout.warning}>
              {data.recoveryCodesLeft === 0
                ? "No recovery codes are left. Without them a lost phone locks you out."
                : `Only ${data.recoveryCodesLeft} of your recovery codes are left.`}
            </p>
          )}
          <div className={layout.row}>
            {data.isEnabled ? (
              <>
                <Button onClick={() => setOpen("renew")}>New recovery codes</Button>
                <Button onClick={() => setOpen("disable")}>Turn off</Button>
              </>
            ) : (
              <Button kind="primary" onClick={() => setOpen("setup")}>
                Set up authenticator app
              </Button>
            )}
          </div>
        </div>
      )}
      {open === "setup" && <TwoFactorSetupDialog onClose={close} onEnabled={setCodes} />}
      {open === "renew" && (
        <ConfirmDialog
          title="New recovery codes"
          text="The codes you have now stop working."
          action="Create codes"
          onClose={close}
          onConfirm={async (body) => setCodes(await renewRecoveryCodes(body))}
        />
      )}
      {open === "disable" && (
        <ConfirmDialog
          danger
          title="Turn off two-factor authentication"
          text="Your password alone will be enough to sign in."
          action="Turn off"
          onClose={close}
          onConfirm={async (body) => {
            await disableTwoFactor(body);
            toast({ text: "Two-factor authentication is off." });
          }}
        />
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </section>
  );
}

interface ConfirmProps {
  title: string;
  text: string;
  action: string;
  danger?: boolean;
  onClose: () => void;
  onConfirm: (body: { currentPassword: string; code: string }) => Promise<void>;
}

function ConfirmDialog({ title, text, action, danger, onClose, onConfirm }: ConfirmProps) {
  const [currentPassword, setPassword] = useState("");
  const [code, setCode] = useState("");
  return (
    <FormDialog
      title={title}
      action={action}
      danger={danger}
      invalid={currentPassword === "" || code.trim() === ""}
      onSubmit={() => onConfirm({ currentPassword, code: code.trim() })}
      onClose={onClose}
    >
      <p className={layout.quiet}>{text}</p>
      <CurrentPassword value={currentPassword} onChange={setPassword} />
      <CodeField value={code} onChange={setCode} />
    </FormDialog>
  );
}
