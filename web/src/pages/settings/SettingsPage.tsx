/** Settings: one's own, and those of the instance for whoever may see them. */

import { FolderKanban, KeyRound, Server, User, Users } from "lucide-react";
import { useLocation, useParams } from "wouter";
import { urlPath } from "../../api/address";
import { useIsAdmin } from "../../api/session";
import { Page, Tabs } from "../../ui";
import { ApiKeys } from "./ApiKeys";
import { Instance } from "./Instance";
import { People } from "./People";
import { Personal } from "./Personal";
import { Projects } from "./Projects";

const PARTS = [
  { id: "personal", label: "Personal", icon: User, show: Personal },
  { id: "keys", label: "API keys", icon: KeyRound, show: ApiKeys },
  { id: "people", label: "People", icon: Users, show: People, forAdmins: true },
  { id: "projects", label: "Projects", icon: FolderKanban, show: Projects },
  { id: "instance", label: "Instance", icon: Server, show: Instance },
];

export default function SettingsPage() {
  const { part } = useParams<{ part?: string }>();
  const [, go] = useLocation();
  const isAdmin = useIsAdmin();
  const parts = PARTS.filter((one) => isAdmin || !one.forAdmins);
  const shown = parts.find((one) => one.id === part) ?? parts[0];
  const Part = shown?.show ?? Personal;
  return (
    <Page
      title="Settings"
      tabs={
        <Tabs
          label="Parts of the settings"
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
