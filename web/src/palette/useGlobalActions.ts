/** The actions that are always there: pages, themes, what can be made, and every workflow by its name. */

import {
  Bot,
  ChartNoAxesColumn,
  FilePlus2,
  FileUp,
  Keyboard,
  KeyRound,
  LayoutTemplate,
  LibraryBig,
  ListChecks,
  LogOut,
  Moon,
  Settings,
  Sheet,
  Sun,
  SunMoon,
  Variable,
  Workflow,
} from "lucide-react";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { signOut, useCanEdit, useIsAdmin } from "../api/session";
import { urlPath } from "../api/url";
import { emptyDocument } from "../graph/workflowDocument";
import { createWorkflow, useWorkflows } from "../pages/workflows/workflowApi";
import { setThemeChoice } from "../theme/theme";
import { tryAction } from "../ui";
import { type Action, useRegisteredActions } from "./actionRegistry";

const PAGES = [
  { to: "/workflows", label: "Workflows", icon: Workflow, words: "home list" },
  { to: "/templates", label: "Templates", icon: LayoutTemplate, words: "gallery examples" },
  { to: "/executions", label: "Executions", icon: ListChecks, words: "runs history log" },
  { to: "/agents", label: "Agents", icon: Bot, words: "sessions conversations" },
  { to: "/knowledge", label: "Knowledge", icon: LibraryBig, words: "collections documents vectors rag" },
  { to: "/credentials", label: "Credentials", icon: KeyRound, words: "keys secrets passwords" },
  { to: "/tables", label: "Data tables", icon: Sheet, words: "rows database csv" },
  { to: "/variables", label: "Variables", icon: Variable, words: "vars environment" },
  { to: "/insights", label: "Insights", icon: ChartNoAxesColumn, words: "cost dashboard charts latency" },
  { to: "/settings", label: "Settings", icon: Settings, words: "preferences" },
  { to: "/settings/people", label: "Settings: Users", icon: Settings, words: "people invite roles", forAdmins: true },
  { to: "/settings/projects", label: "Settings: Projects", icon: Settings, words: "teams members" },
  { to: "/settings/keys", label: "Settings: API keys", icon: Settings, words: "tokens" },
];

export function useGlobalActions(onKeys: () => void): Action[] {
  const [, go] = useLocation();
  const workflows = useWorkflows();
  const offered = useRegisteredActions();
  const canEdit = useCanEdit();
  const isAdmin = useIsAdmin();
  return useMemo(() => {
    const create = () =>
      void tryAction(async () => {
        const made = await createWorkflow(emptyDocument());
        go(urlPath`/workflow/${made.id}`);
      });
    const pages = PAGES.filter((page) => isAdmin || !("forAdmins" in page)).map(
      ({ to, label, icon, words }): Action => ({ id: to, label, icon, keywords: words, group: "Go to", run: () => go(to) }),
    );
    const make: Action[] = !canEdit
      ? []
      : [
          { id: "new-workflow", label: "New workflow", icon: FilePlus2, group: "Create", keywords: "create", run: create },
          {
            id: "import",
            label: "Import workflow",
            icon: FileUp,
            group: "Create",
            keywords: "file paste url n8n",
            run: () => go("/workflows?import"),
          },
          {
            id: "new-credential",
            label: "New credential",
            icon: KeyRound,
            group: "Create",
            keywords: "key",
            run: () => go("/credentials?new"),
          },
        ];
    const others: Action[] = [
      { id: "theme-light", label: "Light theme", icon: Sun, group: "Theme", run: () => setThemeChoice("light") },
      { id: "theme-dark", label: "Dark theme", icon: Moon, group: "Theme", run: () => setThemeChoice("dark") },
      { id: "theme-system", label: "System theme", icon: SunMoon, group: "Theme", run: () => setThemeChoice("system") },
      {
        id: "keys",
        label: "Keyboard shortcuts",
        icon: Keyboard,
        group: "Help",
        shortcut: "?",
        keywords: "keys hotkeys",
        run: onKeys,
      },
      {
        id: "sign-out",
        label: "Sign out",
        icon: LogOut,
        group: "Account",
        run: () => void tryAction(async () => (await signOut()) && go("/signin")),
      },
    ];
    const open = (workflows.data ?? [])
      .filter((row) => !row.archived)
      .sort((one, other) => other.updatedAt.localeCompare(one.updatedAt))
      .map(
        (row): Action => ({
          id: `workflow ${row.id}`,
          label: row.name,
          icon: Workflow,
          group: "Workflows",
          keywords: `open ${row.tags.map((tag) => tag.name).join(" ")}`,
          run: () => go(urlPath`/workflow/${row.id}`),
        }),
      );
    return [...offered, ...make, ...pages, ...open, ...others];
  }, [offered, workflows.data, go, onKeys, canEdit, isAdmin]);
}
