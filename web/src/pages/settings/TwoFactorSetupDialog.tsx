/** Setting an authenticator app up: the password, then the QR code and a first code of the app. */
import { useMemo, useState } from "react";
import { encode } from "uqr";
import type { TwoFactorSetup } from "../../api/generated";
import layout from "../../shared/layout.module.css";
import { CopyButton, FormDialog } from "../../ui";
import { CodeField } from "../setup/CodeField";
import { CurrentPassword } from "./AccountForms";
import styles from "./TwoFactor.module.css";
import { beginTwoFactor, enableTwoFactor } from "./twoFactorApi";

interface Props {
  onClose: () => void;
  onEnabled: (recoveryCodes: readonly string[]) => void;
}

export function TwoFactorSetupDialog({ onClose, onEnabled }: Props) {
  const [password, setPassword] = useState("");
  const [setup, setSetup] = useState<TwoFactorSetup | null>(null);
  const [code, setCode] = useState("");
  if (!setup)
    return (
      <FormDialog
        key="password"
        title="Set up authenticator app"
        action="Continue"
        invalid={password === ""}
        onSubmit={async () => {
          setSetup(await beginTwoFactor(password));
          return false;
        }}
        onClose={onClose}
      >
        <p className={layout.quiet}>Confirm that it is you.</p>
        <CurrentPassword value={password} onChange={setPassword} />
      </FormDialog>
    );
  return (
    <FormDialog
      key="code"
      title="Set up authenticator app"
      action="Turn on"
      invalid={code.trim() === ""}
      onSubmit={async () => onEnabled(await enableTwoFactor(code.trim()))}
      onClose={onClose}
    >
      <p className={layout.quiet}>
        Scan the code with an authenticator app, such as Aegis, Google Authenticator or 1Password.
        You will be signed out everywhere else.
      </p>
      <QrCode text={setup.url} />
      <div>
        <div className={layout.quiet}>Or enter this key in the app:</div>
        <div className={layout.secret}>
          <span>{setup.secret.match(/.{1,4}/g)?.join(" ")}</span>
          <CopyButton text={setup.secret} label="Copy key" />
        </div>
      </div>
      <CodeField value={code} onChange={setCode} isFirst />
    </FormDialog>
  );
}

/** Dark on light whatever the theme: scanners take nothing else. */
function QrCode({ text }: { text: string }) {
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { border: 4 });
    const squares = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    );
    return { size, path: squares.join("") };
  }, [text]);
  return (
    <svg
      className={styles.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code for the authenticator app"
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}
