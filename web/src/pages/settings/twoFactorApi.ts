/** Two-factor authentication of one's own account. */
import { useQuery } from "@tanstack/react-query";
import { api, queryClient } from "../../api/client";
import type {
  RecoveryCodes,
  TwoFactorChangeInput,
  TwoFactorSetup,
  TwoFactorState,
} from "../../api/generated";

const KEY = ["two-factor"];

export function useTwoFactor() {
  return useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const reply = await api.raw("GET", "/api/me/two-factor", { signal });
      return (await reply.json()) as TwoFactorState;
    },
  });
}

/** The secret for the app; it counts once a first code is sent. */
export async function beginTwoFactor(currentPassword: string): Promise<TwoFactorSetup> {
  return (await api.raw("POST", "/api/me/two-factor", { body: { currentPassword } })).json();
}

/** Ends all other sessions. This one is a new one then, with a token of its own. */
export async function enableTwoFactor(code: string): Promise<readonly string[]> {
  const reply = await api.raw("POST", "/api/me/two-factor/enable", { body: { code } });
  const { recoveryCodes }: RecoveryCodes = await reply.json();
  await refresh();
  return recoveryCodes;
}

export async function renewRecoveryCodes(body: TwoFactorChangeInput): Promise<readonly string[]> {
  const reply = await api.raw("POST", "/api/me/two-factor/recovery-codes", { body });
  const { recoveryCodes }: RecoveryCodes = await reply.json();
  await refresh();
  return recoveryCodes;
}

export async function disableTwoFactor(body: TwoFactorChangeInput) {
  await api.raw("POST", "/api/me/two-factor/disable", { body });
  await refresh();
}

async function refresh() {
  await queryClient.refetchQueries({ queryKey: ["me"] });
  await queryClient.invalidateQueries({ queryKey: KEY });
}
