/** Projects: what belongs together, and who may see it. */

import { useQuery } from "@tanstack/react-query";
import { api, fetchAll, queryClient } from "./client";
import type { MemberRole, Project, User } from "./generated";
import { urlPath } from "./url";

export type { Project } from "./generated";

export type ProjectRole = MemberRole["role"] | "project:personalOwner";

export type Member = Required<Pick<User, "id" | "email" | "firstName" | "lastName">> & {
  role: ProjectRole;
};

export const PROJECT_ROLES: readonly { value: ProjectRole; label: string; hint: string }[] = [
  { value: "project:admin", label: "Admin", hint: "Manages everything, including members" },
  { value: "project:editor", label: "Editor", hint: "Builds and runs workflows" },
  { value: "project:viewer", label: "Viewer", hint: "View only" },
];

const KEY = ["projects"];

export function useProjects() {
  return useQuery({
    queryKey: KEY,
    queryFn: async () => (await fetchAll<Project>("/projects")).map(projectName),
    staleTime: 60_000,
  });
}

/** Personal projects are named `Ada Byron <ada@example.com>`; the person's name is enough, or the address where there is none. */
export function projectName(project: Project): Project {
  const [, name, address] = /^(.*?)\s*<([^<>]*)>$/.exec(project.name) ?? [];
  return project.type === "personal" && address !== undefined
    ? { ...project, name: name || address }
    : project;
}

/** The name of a project by its id; what one may not see is called so. */
export function useProjectNames(): (id: string | null | undefined) => string {
  const { data } = useProjects();
  return (id) =>
    id ? (data?.find((project) => project.id === id)?.name ?? "Another project") : "";
}

export function useMembers(project: string) {
  return useQuery({
    queryKey: [...KEY, project, "members"],
    queryFn: () => fetchAll<Member>(urlPath`/projects/${project}/users`),
  });
}

export async function createProject(name: string): Promise<Project> {
  const made = await api.post<Project>("/projects", { name });
  return refreshProjects(made);
}

export async function renameProject(id: string, name: string) {
  await api.put(urlPath`/projects/${id}`, { name });
  refreshProjects(null);
}

export async function deleteProject(id: string) {
  await api.delete(urlPath`/projects/${id}`);
  refreshProjects(null);
}

export async function addMember(project: string, userId: string, role: ProjectRole) {
  await api.post(urlPath`/projects/${project}/users`, { relations: [{ userId, role }] });
  refreshProjects(null);
}

export async function changeMember(project: string, userId: string, role: ProjectRole) {
  await api.patch(urlPath`/projects/${project}/users/${userId}`, { role });
  refreshProjects(null);
}

export async function removeMember(project: string, userId: string) {
  await api.delete(urlPath`/projects/${project}/users/${userId}`);
  refreshProjects(null);
}

function refreshProjects<T>(value: T): T {
  void queryClient.invalidateQueries({ queryKey: KEY });
  return value;
}
