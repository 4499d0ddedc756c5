// Who is signed in, and the ways in and out.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, queryClient, setCsrf } from "./client";
import type { SessionUser, SetupInput, SetupState, SignInInput } from "./generated";

export type Me = SessionUser;

const ME = queryOptions({
  queryKey: ["me"],
  queryFn: async () => {
    const me: Me = await (await api.raw("GET", "/api/me")).json();
    setCsrf(me.csrfToken);
    return me;
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

export function useMe() {
  return useQuery(ME);
}

/** Who is signed in, for what is no component. */
export function loadMe(): Promise<Me> {
  return queryClient.fetchQuery(ME);
}

/** Who is signed in as far as is known without asking. */
export function getMe(): Me | undefined {
  return queryClient.getQueryData(ME.queryKey);
}

/** Whether somebody may change things at all: a viewer sees everything and is shown no button that would be refused. */
export function useCanEdit(): boolean {
  return useMe().data?.role !== "viewer";
}

/** Whether somebody looks after the instance: its people, projects and settings. */
export function useIsAdmin(): boolean {
  const role = useMe().data?.role;
  return role === "owner" || role === "admin";
}

const SETUP = queryOptions({
  queryKey: ["setup"],
  queryFn: async (): Promise<SetupState> => (await api.raw("GET", "/api/setup")).json(),
});

/** Whether there is no owner yet, so that the first page is the set-up. */
export async function needsSetup(): Promise<boolean> {
  return (await queryClient.fetchQuery({ ...SETUP, staleTime: 0 })).needsSetup === true;
}

/** The OpenID Connect provider that one can sign in with. */
export function useOidcName(): string | null {
  return useQuery(SETUP).data?.oidcName ?? null;
}

export async function signIn(body: SignInInput) {
  await api.raw("POST", "/api/login", { body });
  await queryClient.fetchQuery({ ...ME, staleTime: 0 });
}

export async function setUp(owner: SetupInput) {
  await api.raw("POST", "/api/setup", { body: owner });
  await queryClient.fetchQuery({ ...ME, staleTime: 0 });
}

interface SignOutHandler {
  /** Whether nothing is in the way of signing out. */
  beforeSignOut?: () => Promise<boolean>;
  /** Called when nobody is signed in any more, with the id of who was. */
  afterSignOut: (user: string) => void;
}

const signOutHandlers: SignOutHandler[] = [];

/** Lets a part of the editor have a say when somebody signs out. */
export function onSignOut(farewell: SignOutHandler): void {
  signOutHandlers.push(farewell);
}

/** Gives whether one is signed out now: whoever has unsaved changes is asked first. */
export async function signOut(): Promise<boolean> {
  for (const { beforeSignOut } of signOutHandlers)
    if (beforeSignOut && !(await beforeSignOut())) return false;
  const user = getMe()?.id ?? "";
  await api.raw("POST", "/api/logout");
  for (const { afterSignOut } of signOutHandlers) afterSignOut(user);
  setCsrf(null);
  queryClient.clear();
  return true;
}
