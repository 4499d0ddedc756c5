/**
 * Every page of the editor. A new one needs its component, a row in `pages.json` and a line in `MODULES`.
 *
 * The router, the sidebar, the command palette and document titles read the rows; the server reads each `path` to know its pages.
 */
import {
  Bot,
  Brain,
  ChartNoAxesColumn,
  KeyRound,
  LayoutTemplate,
  LibraryBig,
  ListChecks,
  type LucideIcon,
  Plug,
  Scale,
  Settings,
  Sheet,
  Variable,
  Workflow,
} from "lucide-react";
import { type ComponentType, lazy } from "react";
import type { PageLink } from "../palette/useGlobalActions";
import { Editor } from "./Editor";
import rows from "./pages.json";

interface PageRow {
  /** The first segment of its addresses. */
  path: string;
  /** The addresses it is shown at, as patterns of the router. */
  routes: readonly string[];
  /** Its heading, its name in lists of pages, and the title of the document. A page of one thing may have another. */
  title: string;
  sidebar?: "top" | "bottom";
  /** The page of the sidebar that is the current one here. */
  under?: string;
  /** Whether the command palette offers to go there. */
  palette?: boolean;
  /** Other words the command palette finds it by. */
  keywords?: string;
  /** Only admins are led there, and see it. */
  adminOnly?: boolean;
  /** Parts of the page that the command palette offers too. */
  parts?: readonly { path: string; title: string; keywords: string; adminOnly?: boolean }[];
  /** Shown to those who are not signed in. */
  public?: boolean;
}

interface PageModule {
  component: ComponentType;
  /** For pages that stand in lists. */
  icon?: LucideIcon;
}

/** Component and icon of each page, by its path. */
const MODULES: Readonly<Record<string, PageModule>> = {
  workflows: { component: lazy(() => import("../pages/workflows/WorkflowsPage")), icon: Workflow },
  workflow: { component: Editor },
  templates: {
    component: lazy(() => import("../pages/templates/TemplatesPage")),
    icon: LayoutTemplate,
  },
  executions: {
    component: lazy(() => import("../pages/executions/ExecutionsPage")),
    icon: ListChecks,
  },
  compare: { component: lazy(() => import("../pages/executions/ComparePage")) },
  agents: { component: lazy(() => import("../pages/agents/AgentsPage")), icon: Bot },
  knowledge: {
    component: lazy(() => import("../pages/knowledge/KnowledgePage")),
    icon: LibraryBig,
  },
  memory: { component: lazy(() => import("../pages/memory/MemoryPage")), icon: Brain },
  servers: { component: lazy(() => import("../pages/mcpServers/McpServersPage")), icon: Plug },
  credentials: {
    component: lazy(() => import("../pages/credentials/CredentialsPage")),
    icon: KeyRound,
  },
  tables: { component: lazy(() => import("../pages/tables/TablesPage")), icon: Sheet },
  variables: { component: lazy(() => import("../pages/variables/VariablesPage")), icon: Variable },
  policy: { component: lazy(() => import("../pages/policy/PolicyPage")), icon: Scale },
  insights: {
    component: lazy(() => import("../pages/insights/InsightsPage")),
    icon: ChartNoAxesColumn,
  },
  settings: { component: lazy(() => import("../pages/settings/SettingsPage")), icon: Settings },
  setup: { component: lazy(() => import("../pages/setup/SetupPage")) },
  signin: { component: lazy(() => import("../pages/setup/SignInPage")) },
};

export type PageEntry = PageRow & PageModule & { href: string };

export const PAGES: readonly PageEntry[] = (rows as readonly PageRow[]).map((row) => {
  const module = MODULES[row.path];
  if (!module) throw new Error(`pages.ts names no component for the page ${row.path}`);
  return { ...row, ...module, href: `/${row.path}` };
});

/** The page of the sidebar that an address belongs to. */
export function sidebarPath(address: string): string | undefined {
  const [, path] = address.split("/");
  const page = PAGES.find((one) => one.path === path);
  return page?.under ?? page?.path;
}

/** What the command palette offers to go to. */
export const PAGE_LINKS: readonly PageLink[] = PAGES.filter((page) => page.palette).flatMap(
  ({ href, title, icon, keywords, adminOnly, parts = [] }) => [
    { href, title, icon, keywords, adminOnly },
    ...parts.map((part) => ({
      ...part,
      href: `${href}/${part.path}`,
      title: `${title}: ${part.title}`,
      icon,
    })),
  ],
);
