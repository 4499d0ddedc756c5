/** Shows recovery codes, which are never shown again. */
import { Download } from "lucide-react";
import { download } from "../../shared/download";
import layout from "../../shared/layout.module.css";
import { Button, CopyButton, Dialog } from "../../ui";
import styles from "./TwoFactor.module.css";

export function RecoveryCodesDialog({
  codes,
  onClose,
}: {
  codes: readonly string[];
  onClose: () => void;
}) {
  const text = `${codes.join("\n")}\n`;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save your recovery codes"
      footer={
        <Button kind="primary" onClick={onClose}>
          I have saved them
        </Button>
      }
    >
      <div className={layout.stack}>
        <p className={layout.quiet}>
          Each code signs you in once if you lose your phone. They are not shown again: keep them
          where you keep your passwords.
        </p>
        <ul className={styles.codes} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className={layout.row}>
          <CopyButton text={text} label="Copy recovery codes" />
          <Button
            icon={Download}
            onClick={() => download("heddle-recovery-codes.txt", text, "text/plain")}
          >
            Download
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
