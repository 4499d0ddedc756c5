/** The actions that are always there: pages, themes, what can be made, and every workflow by its name. */

import {
  FilePlus2,
  FileUp,
  Keyboard,
  KeyRound,
  LogOut,
  type LucideIcon,
  Moon,
  Sun,
  SunMoon,
  Workflow,
} from "lucide-react";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { signOut, useCanEdit, useIsAdmin } from "../api/session";
import { urlPath } from "../api/url";
import { emptyDocument } from "../api/workflowDocument";
import { setThemeChoice } from "../theme/theme";
import { tryAction } from "../ui";
import { createWorkflow, useWorkflows } from "../workflows/workflowApi";
import { type Action, useRegisteredActions } from "./actionRegistry";

/** A page, or a part of one, to go to. */
export interface PageLink {
  href: string;
  title: string;
  icon?: LucideIcon;
  /** Other words it is found by. */
  keywords?: string;
  adminOnly?: boolean;
}

export function useGlobalActions(pages: readonly PageLink[], onKeys: () => void): Action[] {
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
    const goTo = pages
      .filter((page) => isAdmin || !page.adminOnly)
      .map(
        ({ href, title, icon, keywords }): Action => ({
          id: href,
          label: title,
          icon,
          keywords,
          group: "Go to",
          run: () => go(href),
        }),
      );
    const make: Action[] = !canEdit
      ? []
      : [
          {
            id: "new-workflow",
            label: "New workflow",
            icon: FilePlus2,
            group: "Create",
            keywords: "create",
            run: create,
          },
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
      {
        id: "theme-light",
        label: "Light theme",
        icon: Sun,
        group: "Theme",
        run: () => setThemeChoice("light"),
      },
      {
        id: "theme-dark",
        label: "Dark theme",
        icon: Moon,
        group: "Theme",
        run: () => setThemeChoice("dark"),
      },
      {
        id: "theme-system",
        label: "System theme",
        icon: SunMoon,
        group: "Theme",
        run: () => setThemeChoice("system"),
      },
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
    return [...offered, ...make, ...goTo, ...open, ...others];
  }, [pages, offered, workflows.data, go, onKeys, canEdit, isAdmin]);
}
