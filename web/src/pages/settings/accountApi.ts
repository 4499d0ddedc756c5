/** What somebody changes of their own account. */
import { api, queryClient } from "../../api/client";
import type { EmailInput, NameInput, PasswordInput } from "../../api/generated";

export async function changeName(body: NameInput) {
  await api.raw("POST", "/api/me/name", { body });
  await refreshMe();
}

export async function changeEmail(body: EmailInput) {
  await api.raw("POST", "/api/me/email", { body });
  await refreshMe();
}

/** Ends all other sessions. This one is a new one then, with a token of its own. */
export async function changePassword(body: PasswordInput) {
  await api.raw("POST", "/api/me/password", { body });
  await refreshMe();
}

async function refreshMe() {
  await queryClient.refetchQueries({ queryKey: ["me"] });
  void queryClient.invalidateQueries({ queryKey: ["users"] });
}
