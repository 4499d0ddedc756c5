/** One template at a closer look. */
import { useMemo } from "react";
import { useCatalogue } from "../../api/catalogue";
import { useCanEdit } from "../../api/session";
import layout from "../../shared/layout.module.css";
import type { Template } from "../../templates/gallery";
import { WorkflowSketch } from "../../templates/WorkflowSketch";
import { Button, Chip, Dialog } from "../../ui";
import styles from "./TemplatesPage.module.css";

interface Props {
  template: Template;
  busy: boolean;
  onUse: () => void;
  onClose: () => void;
}

export function TemplateDialog({ template, busy, onUse, onClose }: Props) {
  const catalogue = useCatalogue();
  const canEdit = useCanEdit();
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
  const footer = (
    <>
      <Button onClick={onClose}>Close</Button>
      {canEdit && (
        <Button kind="primary" busy={busy} onClick={onUse}>
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
      </div>
    </Dialog>
  );
}
