/** Projects and who is in them. */
import { Ellipsis, FolderKanban, Pencil, Plus, Trash2, Users } from "lucide-react";
import { useState } from "react";
import {
  createProject,
  deleteProject,
  type Project,
  renameProject,
  useProjects,
} from "../../api/projects";
import { useCanEdit, useIsAdmin } from "../../api/session";
import { ListSection } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import { NameDialog } from "../../shared/NameDialog";
import {
  Badge,
  Button,
  confirm,
  EmptyState,
  IconButton,
  Menu,
  Time,
  toast,
  tryAction,
} from "../../ui";
import { MembersDialog } from "./MembersDialog";

const COLUMNS = [
  { id: "name", label: "Name" },
  { id: "kind", label: "Type", width: "140px" },
  { id: "since", label: "Created", width: "130px" },
];

type OpenDialog = { what: "new" } | { what: "rename" | "members"; project: Project };

export function ProjectSettings() {
  const projects = useProjects();
  const [doing, setDoing] = useState<OpenDialog | null>(null);
  const isAdmin = useIsAdmin();
  const canEdit = useCanEdit();
  const teams = (projects.data ?? []).filter((project) => project.type === "team");
  const personal = (projects.data ?? []).filter((project) => project.type === "personal");
  const remove = async (project: Project) => {
    const text =
      "Its workflows, credentials and tables move to the first owner. Members lose access to them.";
    const sure = await confirm({
      title: `Delete ${project.name}?`,
      text,
      action: "Delete project",
      danger: true,
    });
    if (sure && (await tryAction(() => deleteProject(project.id))))
      toast({ text: `${project.name} deleted` });
  };
  const create = isAdmin && (
    <Button kind="primary" icon={Plus} onClick={() => setDoing({ what: "new" })}>
      New project
    </Button>
  );
  const noTeams = teams.length === 0 && (
    <EmptyState
      icon={FolderKanban}
      title="No shared projects yet"
      text="Every user has a personal project. Create a shared project to work together."
      action={create}
    />
  );
  return (
    <ListSection
      text="Projects contain workflows, credentials, tables and knowledge. Members share them."
      actions={create}
      query={projects}
      lines={4}
      before={personal.length > 0 && noTeams}
      empty={noTeams}
      label="Projects"
      columns={COLUMNS}
      rows={[...teams, ...personal]}
      rowKey={(project) => project.id}
      onOpen={(project) => project.type === "team" && setDoing({ what: "members", project })}
      render={(project, column) => {
        if (column === "name") return <span className={layout.name}>{project.name}</span>;
        if (column === "kind")
          return project.type === "team" ? (
            <Badge tone="accent">Shared</Badge>
          ) : (
            <Badge>Personal</Badge>
          );
        return <Time at={project.createdAt} />;
      }}
      rowActions={(project) =>
        project.type === "team" && (
          <Menu
            trigger={
              <IconButton icon={Ellipsis} label={`Actions for ${project.name}`} size="small" />
            }
            items={[
              {
                label: "Members",
                icon: Users,
                onSelect: () => setDoing({ what: "members", project }),
              },
              ...(canEdit
                ? [
                    {
                      label: "Rename",
                      icon: Pencil,
                      onSelect: () => setDoing({ what: "rename", project }),
                    },
                    null,
                    {
                      label: "Delete project",
                      icon: Trash2,
                      danger: true,
                      onSelect: () => void remove(project),
                    },
                  ]
                : []),
            ]}
          />
        )
      }
    >
      {doing?.what === "new" && (
        <NameDialog
          title="New project"
          action="Create project"
          onClose={() => setDoing(null)}
          onDone={async (name) => {
            const project = await createProject(name);
            // Closing comes after this; the members are asked for next.
            setTimeout(() => setDoing({ what: "members", project }));
          }}
        />
      )}
      {doing?.what === "rename" && (
        <NameDialog
          title="Rename project"
          action="Rename"
          initial={doing.project.name}
          onClose={() => setDoing(null)}
          onDone={(name) => renameProject(doing.project.id, name)}
        />
      )}
      {doing?.what === "members" && (
        <MembersDialog project={doing.project} onClose={() => setDoing(null)} />
      )}
    </ListSection>
  );
}
