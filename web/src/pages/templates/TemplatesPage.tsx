/** The gallery of templates: what each does and needs, how it looks, and one click to have it. */

import { Plug, Zap } from "lucide-react";
import { useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { urlPath } from "../../api/url";
import layout from "../../shared/layout.module.css";
import {
  CATEGORIES,
  createDocument,
  filterTemplates,
  findTemplate,
  TEMPLATES,
  type Template,
} from "../../templates/gallery";
import { WorkflowSketch } from "../../templates/WorkflowSketch";
import { Badge, Checkbox, Chip, NoMatches, Page, plural, SearchInput, tryAction } from "../../ui";
import { createWorkflow } from "../../workflows/workflowApi";
import { TemplateDialog } from "./TemplateDialog";
import styles from "./TemplatesPage.module.css";
import { type CredentialOffer, withCredentials } from "./templateCredentials";

export default function TemplatesPage() {
  const [query, setQuery] = useSearchParams();
  const [busy, setBusy] = useState<string | null>(null);
  const [, go] = useLocation();
  const text = query.get("q") ?? "";
  const category = query.get("category");
  const onlyReady = query.has("ready");
  const shown = query.get("show");
  const opened = shown === null ? undefined : findTemplate(shown);
  const found = filterTemplates(TEMPLATES, { text, category, onlyReady });
  const set = (name: string, value: string | null) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === null || (value === "" && name === "q")) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: name === "q" },
    );
  const use = async (template: Template, offers: readonly CredentialOffer[]) => {
    setBusy(template.id);
    await tryAction(async () => {
      const made = await createWorkflow(withCredentials(createDocument(template), offers));
      go(urlPath`/workflow/${made.id}`);
    });
    setBusy(null);
  };
  return (
    <Page
      text={`${plural(TEMPLATES.length, "workflow")} to start from. Each one creates a copy you can edit.`}
    >
      <div className={layout.toolbar}>
        <SearchInput
          className={layout.search}
          label="Search templates"
          placeholder="Search templates"
          value={text}
          onChange={(value) => set("q", value)}
        />
        <div className={layout.chips}>
          <Chip
            label="All"
            tone={category === null ? "accent" : "neutral"}
            onClick={() => set("category", null)}
          />
          {CATEGORIES.map((one) => (
            <Chip
              key={one}
              label={one}
              tone={category === one ? "accent" : "neutral"}
              onClick={() => set("category", one)}
            />
          ))}
        </div>
        <span className={layout.push}>
          <Checkbox
            checked={onlyReady}
            onChange={(on) => set("ready", on ? "" : null)}
            label="No API key or network required"
          />
        </span>
      </div>
      {found.length === 0 && (
        <NoMatches text="No templates match these filters." onClear={() => setQuery({})} />
      )}
      <ul className={styles.grid}>
        {found.map((template) => (
          <li key={template.id}>
            <button type="button" className={styles.card} onClick={() => set("show", template.id)}>
              <span className={styles.picture}>
                <WorkflowSketch document={template.workflow} width={320} height={132} />
              </span>
              <span className={styles.words}>
                <span className={styles.title}>{template.title}</span>
                <span className={styles.text}>{template.description}</span>
                <span className={styles.foot}>
                  <TemplateNeeds template={template} />
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {opened && (
        <TemplateDialog
          template={opened}
          busy={busy === opened.id}
          onUse={(offers) => void use(opened, offers)}
          onClose={() => set("show", null)}
        />
      )}
    </Page>
  );
}

function TemplateNeeds({ template }: { template: Template }) {
  if (template.needs.length === 0) {
    return (
      <Badge tone="good">
        <Zap size={11} aria-hidden /> Ready to run
      </Badge>
    );
  }
  return (
    <span className={styles.needs}>
      <Plug size={12} aria-hidden /> {template.needs.join(", ")}
    </span>
  );
}
