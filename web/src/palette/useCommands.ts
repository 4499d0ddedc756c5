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
import { urlPath } from "../api/address";
import { signOut, useIsAdmin, useMayChange } from "../api/session";
import { emptyDocument } from "../graph/types";
import { createWorkflow, useWorkflows } from "../pages/workflows/data";
import { chooseTheme } from "../theme/theme";
import { attempt } from "../ui";
import { type Action, useOffered } from "./actions";

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
  { to: "/settings/people", label: "Settings: people", icon: Settings, words: "users invite roles", forAdmins: true },
  { to: "/settings/projects", label: "Settings: projects", icon: Settings, words: "teams members" },
  { to: "/settings/keys", label: "Settings: API keys", icon: Settings, words: "tokens" },
];

export function useCommands(onKeys: () => void): Action[] {
  const [, go] = useLocation();
  const workflows = useWorkflows();
  const offered = useOffered();
  const mayChange = useMayChange();
  const isAdmin = useIsAdmin();
  return useMemo(() => {
    const create = () =>
      void attempt(async () => {
        const made = await createWorkflow(emptyDocument());
        go(urlPath`/workflow/${made.id}`);
      });
    const pages = PAGES.filter((page) => isAdmin || !("forAdmins" in page)).map(
      ({ to, label, icon, words }): Action => ({ id: to, label, icon, words, group: "Go to", run: () => go(to) }),
    );
    const make: Action[] = !mayChange
      ? []
      : [
          { id: "new-workflow", label: "New workflow", icon: FilePlus2, group: "Make", words: "create", run: create },
          {
            id: "import",
            label: "Import a workflow",
            icon: FileUp,
            group: "Make",
            words: "file paste url n8n",
            run: () => go("/workflows?import"),
          },
          {
            id: "new-credential",
            label: "New credential",
            icon: KeyRound,
            group: "Make",
            words: "key",
            run: () => go("/credentials?new"),
          },
        ];
    const others: Action[] = [
      { id: "theme-light", label: "Light theme", icon: Sun, group: "Look", run: () => chooseTheme("light") },
      { id: "theme-dark", label: "Dark theme", icon: Moon, group: "Look", run: () => chooseTheme("dark") },
      { id: "theme-system", label: "Theme of the system", icon: SunMoon, group: "Look", run: () => chooseTheme("system") },
      {
        id: "keys",
        label: "Show all keys",
        icon: Keyboard,
        group: "Help",
        shortcut: "?",
        words: "shortcuts keyboard",
        run: onKeys,
      },
      {
        id: "sign-out",
        label: "Sign out",
        icon: LogOut,
        group: "Account",
        run: () => void attempt(async () => (await signOut()) && go("/signin")),
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
          words: `open ${row.tags.map((tag) => tag.name).join(" ")}`,
          run: () => go(urlPath`/workflow/${row.id}`),
        }),
      );
    return [...offered, ...make, ...pages, ...open, ...others];
  }, [offered, workflows.data, go, onKeys, mayChange, isAdmin]);
}
