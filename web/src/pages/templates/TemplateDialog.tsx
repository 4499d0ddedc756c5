/** One template at a closer look. */
import { useMemo, useState } from "react";
import { useCatalogue } from "../../api/catalogue";
import { useCanEdit } from "../../api/session";
import { useCredentials } from "../../credentials/credentialApi";
import layout from "../../shared/layout.module.css";
import type { Template } from "../../templates/gallery";
import { WorkflowSketch } from "../../templates/WorkflowSketch";
import { Button, Checkbox, Chip, Dialog } from "../../ui";
import styles from "./TemplatesPage.module.css";
import { type CredentialOffer, offerCredentials } from "./templateCredentials";

interface Props {
  template: Template;
  busy: boolean;
  /** Makes the workflow, with the credentials that are to be in it. */
  onUse: (offers: readonly CredentialOffer[]) => void;
  onClose: () => void;
}

export function TemplateDialog({ template, busy, onUse, onClose }: Props) {
  const catalogue = useCatalogue();
  const canEdit = useCanEdit();
  const credentials = useCredentials();
  /** Credentials that are not to be taken. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const take = (id: string, on: boolean) =>
    setLeft((before) => {
      const next = new Set(before);
      if (on) next.delete(id);
      else next.add(id);
      return next;
    });
  const nodes = useMemo(() => {
    const steps = template.workflow.nodes.filter(
      (node) => node.type !== "n8n-nodes-base.stickyNote",
    );
    return [
      ...new Set(
        steps.map(
          (node) =>
            catalogue.findNewest(node.type)?.name ??
            node.type.slice(node.type.lastIndexOf(".") + 1),
        ),
      ),
    ];
  }, [template, catalogue]);
  const offers = useMemo(
    () => offerCredentials(template.workflow, catalogue, credentials.data ?? []),
    [template, catalogue, credentials.data],
  );
  const footer = (
    <>
      <Button onClick={onClose}>Close</Button>
      {canEdit && (
        <Button
          kind="primary"
          busy={busy}
          onClick={() => onUse(offers.filter(({ credential }) => !left.has(credential.id)))}
        >
          Use template
        </Button>
      )}
    </>
  );
  return (
    <Dialog open onClose={onClose} title={template.title} size="large" footer={footer}>
      <div className={layout.stack}>
        <div className={styles.large}>
          <WorkflowSketch document={template.workflow} width={720} height={260} />
        </div>
        <p>{template.description}</p>
        <dl className={styles.facts}>
          <dt>Requires</dt>
          <dd>
            {template.needs.length === 0 ? "Nothing. Ready to run." : template.needs.join(", ")}
          </dd>
          <dt>Nodes</dt>
          <dd>{nodes.join(", ")}</dd>
          <dt>About</dt>
          <dd className={layout.chips}>
            {template.tags.map((tag) => (
              <Chip key={tag} label={tag} />
            ))}
          </dd>
        </dl>
        {canEdit &&
          offers.map(({ credential, nodes: users }) => (
            <Checkbox
              key={credential.id}
              checked={!left.has(credential.id)}
              onChange={(on) => take(credential.id, on)}
              label={`Use your credential “${credential.name}” in ${users.join(", ")}`}
            />
          ))}
      </div>
    </Dialog>
  );
}
