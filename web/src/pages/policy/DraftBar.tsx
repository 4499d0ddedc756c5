/** Changes that are not in force yet: thrown away, or looked at and saved. */

import { Undo2 } from "lucide-react";
import { useState } from "react";
import layout from "../../shared/layout.module.css";
import { Button, toast } from "../../ui";
import styles from "./Policy.module.css";
import type { Policy } from "./policyApi";
import { usePolicyDraft } from "./policyDraft";
import { ReviewDialog } from "./ReviewDialog";

export function DraftBar({ policy, text }: { policy: Policy; text: string }) {
  const { base, discard, write } = usePolicyDraft();
  const [isReviewing, setReviewing] = useState(false);
  const drop = () => {
    discard();
    toast({ text: "Changes discarded", undo: () => write(text, base ?? policy) });
  };
  return (
    <div className={styles.draft} role="region" aria-label="Unsaved changes">
      <div className={layout.fill}>
        <p className={layout.name}>Unsaved changes</p>
        {base?.version === policy.version ? (
          <p className={layout.faint}>Nothing of it is in force yet.</p>
        ) : (
          <p className={layout.warning}>
            Somebody saved version {policy.version} since you began. The review shows what differs.
          </p>
        )}
      </div>
      <Button icon={Undo2} onClick={drop}>
        Discard
      </Button>
      <Button kind="primary" onClick={() => setReviewing(true)}>
        Review and save
      </Button>
      {isReviewing && (
        <ReviewDialog policy={policy} text={text} onClose={() => setReviewing(false)} />
      )}
    </div>
  );
}
