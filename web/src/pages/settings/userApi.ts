/** The people of the instance, their roles, and the links by which they come in. */

import { useQuery } from "@tanstack/react-query";
import { api, fetchAll, queryClient } from "../../api/client";
import type { Invitations, User } from "../../api/generated";
import { urlPath } from "../../api/url";

export type UserRow = Required<Omit<User, "role" | "updatedAt">> & Pick<User, "role">;

/** Somebody who was invited; `error` says why not and is empty otherwise. */
export type Invitation = Invitations[number];

/** What may be given to somebody; owners are made at the set-up only. */
export const ROLES = [
  { value: "global:admin", label: "Admin", hint: "Manages everything and invites users" },
  { value: "global:member", label: "Editor", hint: "Builds and runs workflows in their projects" },
  { value: "global:viewer", label: "Viewer", hint: "View only" },
];

/** Roles as the API names them, in words. */
export const ROLE_LABELS: Record<string, string> = {
  owner: "Owner",
  admin: "Admin",
  editor: "Editor",
  viewer: "Viewer",
  "global:owner": "Owner",
  "global:admin": "Admin",
  "global:member": "Editor",
  "global:viewer": "Viewer",
};

const KEY = ["people"];

export function useUsers(enabled = true) {
  return useQuery({
    queryKey: KEY,
    queryFn: () => fetchAll<UserRow>("/users", { includeRole: true }),
    enabled,
  });
}

export function displayName(person: {
  email: string;
  firstName?: string;
  lastName?: string;
}): string {
  return [person.firstName, person.lastName].filter(Boolean).join(" ") || person.email;
}

/** The addresses in a text, with commas, semicolons, spaces or lines between; each once. */
export function parseEmails(text: string): { addresses: string[]; wrong: string[] } {
  const parts = [
    ...new Set(
      text
        .split(/[\s,;]+/)
        .map((part) => part.trim().toLowerCase())
        .filter(Boolean),
    ),
  ];
  const isAddress = (part: string) => /^[^\s@]+@[^\s@]+$/.test(part);
  return { addresses: parts.filter(isAddress), wrong: parts.filter((part) => !isAddress(part)) };
}

export async function inviteUsers(emails: readonly string[], role: string): Promise<Invitation[]> {
  const answer = await api.post<Invitation[]>(
    "/users",
    emails.map((email) => ({ email, role })),
  );
  refresh();
  return answer;
}

export async function changeRole(id: string, role: string) {
  await api.patch(urlPath`/users/${id}/role`, { newRoleName: role });
  refresh();
}

export async function deleteUser(id: string) {
  await api.delete(urlPath`/users/${id}`);
  refresh();
}

/** For somebody who has lost the app: the password is enough again. */
export async function removeTwoFactor(id: string) {
  await api.delete(urlPath`/users/${id}/two-factor`);
  refresh();
}

export async function createResetLink(id: string): Promise<string> {
  return (await api.post<{ link: string }>(urlPath`/users/${id}/password-reset`)).link;
}

function refresh() {
  void queryClient.invalidateQueries({ queryKey: KEY });
}
