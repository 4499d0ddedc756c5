/** Settings: one's own, and those of the instance for whoever may see them. */

import { FolderKanban, KeyRound, Server, User, Users } from "lucide-react";
import { useLocation, useParams } from "wouter";
import { useIsAdmin } from "../../api/session";
import { urlPath } from "../../api/url";
import { Page, Tabs } from "../../ui";
import { ApiKeySettings } from "./ApiKeySettings";
import { InstanceSettings } from "./InstanceSettings";
import { PersonalSettings } from "./PersonalSettings";
import { ProjectSettings } from "./ProjectSettings";
import { UserSettings } from "./UserSettings";

const TABS = [
  { id: "personal", label: "Personal", icon: User, show: PersonalSettings },
  { id: "keys", label: "API keys", icon: KeyRound, show: ApiKeySettings },
  { id: "people", label: "Users", icon: Users, show: UserSettings, forAdmins: true },
  { id: "projects", label: "Projects", icon: FolderKanban, show: ProjectSettings },
  { id: "instance", label: "Instance", icon: Server, show: InstanceSettings },
];

export default function SettingsPage() {
  const { part } = useParams<{ part?: string }>();
  const [, go] = useLocation();
  const isAdmin = useIsAdmin();
  const parts = TABS.filter((one) => isAdmin || !one.forAdmins);
  const shown = parts.find((one) => one.id === part) ?? parts[0];
  const Part = shown?.show ?? PersonalSettings;
  return (
    <Page
      tabs={
        <Tabs
          label="Settings tabs"
          value={shown?.id ?? "personal"}
          onChange={(id) => go(urlPath`/settings/${id}`)}
          tabs={parts.map(({ id, label, icon }) => ({ id, label, icon }))}
        />
      }
    >
      <Part />
    </Page>
  );
}
