/** Signing in to one's own account with the OpenID Connect provider. */
import { useQuery } from "@tanstack/react-query";
import { api, queryClient } from "../../api/client";
import type { OidcConnectInput, OidcRedirect, OidcState } from "../../api/generated";

const KEY = ["oidc"];

export function useOidc() {
  return useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }): Promise<OidcState> =>
      (await api.raw("GET", "/api/me/oidc", { signal })).json(),
  });
}

/** Where the browser goes to connect the account. */
export async function beginOidcConnection(body: OidcConnectInput): Promise<string> {
  const reply: OidcRedirect = await (
    await api.raw("POST", "/api/me/oidc/connect", { body })
  ).json();
  return reply.url;
}

export async function disconnectOidc() {
  await api.raw("DELETE", "/api/me/oidc");
  await queryClient.invalidateQueries({ queryKey: KEY });
}
