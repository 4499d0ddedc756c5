/** Where somebody goes after signing in. */

/** The page that was asked for, if it is one of ours: another site's address is never followed. */
export function safeNextUrl(to: string | null): string {
  if (
    to === null ||
    !to.startsWith("/") ||
    to.startsWith("//") ||
    to.includes("\\") ||
    /^\/(signin|setup|invitation)\b/.test(to)
  )
    return "/workflows";
  return to;
}
