/** Addresses of the server. What is put into one, such as an id from the page's own address, stays the one part that it is. */

/** A path of which every part that is put in is encoded: urlPath`/executions/${id}/outline`. */
export function urlPath(
  texts: TemplateStringsArray,
  ...parts: (string | number | null | undefined)[]
): string {
  return texts.reduce((path, text, at) => path + encodePart(parts[at - 1]) + text);
}

function encodePart(part: string | number | null | undefined): string {
  // Half of a pair of surrogates cannot be encoded.
  return encodeURIComponent(String(part).replace(/\p{Surrogate}/gu, "\uFFFD"));
}

/** Any origin will do: addresses here have none. */
const ORIGIN = "http://here.invalid";

/**
 * Whether a browser asks this server for exactly the path that was written. It reads `..`, `%2e%2e`, `\` and other spellings as steps
 * elsewhere, such as to a webhook, whose answer would pass for one of the API.
 */
export function isNormalizedPath(address: string): boolean {
  const [path] = address.split(/[?#]/, 1);
  try {
    const url = new URL(address, ORIGIN);
    return (
      url.origin === ORIGIN && url.pathname === path && url.username === "" && url.password === ""
    );
  } catch {
    return false;
  }
}
