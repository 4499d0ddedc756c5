/** Projects and who is in them. */
import { Ellipsis, FolderKanban, Pencil, Plus, Trash2, Users } from "lucide-react";
import { useState } from "react";
import { useIsAdmin, useMayChange } from "../../api/session";
import { attempt, Badge, Button, confirm, Empty, IconButton, Menu, Problem, Skeleton, Table, Time, toast } from "../../ui";
import layout from "../layout.module.css";
import { NameDialog } from "../workflows/NameDialog";
import { MembersDialog } from "./MembersDialog";
import { createProject, deleteProject, type Project, renameProject, useProjects } from "./projectData";

const COLUMNS = [
  { id: "name", label: "Name" },
  { id: "kind", label: "Kind", width: "140px" },
  { id: "since", label: "Made", width: "130px" },
];

type Doing = { what: "new" } | { what: "rename" | "members"; project: Project };

export function Projects() {
  const projects = useProjects();
  const [doing, setDoing] = useState<Doing | null>(null);
  const isAdmin = useIsAdmin();
  const mayChange = useMayChange();
  const teams = (projects.data ?? []).filter((project) => project.type === "team");
  const personal = (projects.data ?? []).filter((project) => project.type === "personal");
  const remove = async (project: Project) => {
    const text =
      "Its workflows, credentials and tables go to the first owner; nothing is lost. Its members do not see them any more.";
    const sure = await confirm({ title: `Delete ${project.name}?`, text, action: "Delete project", danger: true });
    if (sure && (await attempt(() => deleteProject(project.id)))) toast({ text: `${project.name} was deleted` });
  };
  const create = isAdmin && (
    <Button kind="primary" icon={Plus} onClick={() => setDoing({ what: "new" })}>
      New project
    </Button>
  );
  return (
    <>
      <div className={layout.toolbar}>
        <p className={layout.quiet}>Workflows, credentials, tables and knowledge belong to a project. Its members share them.</p>
        <span className={layout.push}>{create}</span>
      </div>
      {projects.isPending && <Skeleton lines={4} />}
      {projects.error && <Problem error={projects.error} onRetry={() => void projects.refetch()} />}
      {projects.data && teams.length === 0 && (
        <Empty
          icon={FolderKanban}
          title="No shared project yet"
          text="Everybody has a project of their own. Make one to work on the same things together."
          action={create}
        />
      )}
      {teams.length + personal.length > 0 && (
        <Table
          label="Projects"
          columns={COLUMNS}
          rows={[...teams, ...personal]}
          rowKey={(project) => project.id}
          onOpen={(project) => project.type === "team" && setDoing({ what: "members", project })}
          render={(project, column) => {
            if (column === "name") return <span className={layout.name}>{project.name}</span>;
            if (column === "kind") return project.type === "team" ? <Badge tone="accent">Shared</Badge> : <Badge>Personal</Badge>;
            return <Time at={project.createdAt} />;
          }}
          actions={(project) =>
            project.type === "team" && (
              <Menu
                trigger={<IconButton icon={Ellipsis} label={`Actions for ${project.name}`} size="small" />}
                items={[
                  { label: "Members", icon: Users, onSelect: () => setDoing({ what: "members", project }) },
                  ...(mayChange
                    ? [
                        { label: "Rename", icon: Pencil, onSelect: () => setDoing({ what: "rename", project }) },
                        null,
                        { label: "Delete project", icon: Trash2, danger: true, onSelect: () => void remove(project) },
                      ]
                    : []),
                ]}
              />
            )
          }
        />
      )}
      {doing?.what === "new" && (
        <NameDialog
          title="New project"
          action="Make project"
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
      {doing?.what === "members" && <MembersDialog project={doing.project} onClose={() => setDoing(null)} />}
    </>
  );
}
