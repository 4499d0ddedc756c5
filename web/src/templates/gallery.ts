/** The templates that come with the editor: each a workflow that runs here, with what it is for and what it needs. */
import type { WorkflowDocument } from "../api/workflowDocument";

/** A workflow to begin with. */
export interface Template {
  /** The name of its file; it stands in addresses. */
  id: string;
  title: string;
  description: string;
  category: string;
  tags: readonly string[];
  /** What must be there before it can run, in words; empty if it runs at once. */
  needs: readonly string[];
  workflow: WorkflowDocument;
}

/** The groups of the gallery, in the order in which they are shown. */
export const CATEGORIES = [
  "Start here",
  "Agents",
  "Knowledge",
  "Data",
  "Web and APIs",
  "Forms and chat",
  "Operations",
] as const;

const files = import.meta.glob<Omit<Template, "id">>("./*.json", {
  eager: true,
  import: "default",
});

/** All templates, by category and then by title. */
export const TEMPLATES: readonly Template[] = Object.entries(files)
  .map(([path, template]) => ({ ...template, id: path.replace(/^\.\/|\.json$/g, "") }))
  .sort(
    (one, other) =>
      categoryIndex(one) - categoryIndex(other) || one.title.localeCompare(other.title),
  );

export function findTemplate(id: string): Template | undefined {
  return TEMPLATES.find((template) => template.id === id);
}

/** What somebody looks for in the gallery. */
export interface TemplateFilter {
  text: string;
  category: string | null;
  /** Only those that need nothing: no key, no service, no network. */
  onlyReady: boolean;
}

export function filterTemplates(
  templates: readonly Template[],
  { text, category, onlyReady }: TemplateFilter,
): Template[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return templates.filter((template) => {
    if (category !== null && template.category !== category) return false;
    if (onlyReady && template.needs.length > 0) return false;
    const said = [template.title, template.description, template.category, ...template.tags]
      .join(" ")
      .toLowerCase();
    return words.every((word) => said.includes(word));
  });
}

/** The document that is created from a template: without ids that belong to another place. */
export function createDocument(template: Template): WorkflowDocument {
  const { name, nodes, connections, settings, pinData } = template.workflow;
  return {
    name,
    nodes,
    connections,
    settings: settings ?? {},
    pinData: pinData ?? {},
    meta: { templateId: template.id },
  };
}

function categoryIndex(template: Omit<Template, "id">): number {
  const index = (CATEGORIES as readonly string[]).indexOf(template.category);
  return index < 0 ? CATEGORIES.length : index;
}
