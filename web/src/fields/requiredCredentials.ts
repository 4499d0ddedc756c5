/** Which credentials a node asks for with the parameters it has now. */

import type { NodeType } from "../api/spec";
import type { JsonObject, Param } from "../graph/json";
import { visibleParams } from "../graph/visibleParams";

export interface RequiredCredential {
  kind: string;
  required: boolean;
}

/** More optional kinds than these are only shown once a parameter has chosen among them. */
const MAX_OPTIONAL = 3;

export function requiredCredentials(
  type: NodeType,
  values: JsonObject,
  version: number,
): RequiredCredential[] {
  const visible = visibleParams(type.params, values, { version });
  const asked = type.credentials
    .filter((use) => use.required)
    .map(({ kind, required }) => ({ kind, required }));
  const add = (kind: string, required: boolean) => {
    if (kind !== "" && !kind.startsWith("=") && !asked.some((one) => one.kind === kind))
      asked.push({ kind, required });
  };
  const text = (name: string) => (typeof values[name] === "string" ? (values[name] as string) : "");
  // HTTP requests name the kind of credential in a parameter of its own.
  for (const param of visible) if (namesCredential(param)) add(text(param.name), true);
  if (
    values.provideSslCertificates === true &&
    type.credentials.some((use) => use.kind === "httpSslAuth")
  )
    add("httpSslAuth", true);
  const optional = type.credentials.filter((use) => !use.required);
  const kinds = optional.map((use) => use.kind);
  for (const param of visible) {
    if (!choosesAmong(param, kinds)) continue;
    for (const kind of kinds) if (matchesKind(text(param.name), kind)) add(kind, true);
  }
  // Where nothing chooses among them they are offered; where the choice is hidden, as in a webhook that is open, none is asked for.
  const isChosen = type.params.some(
    (param) => namesCredential(param) || choosesAmong(param, kinds),
  );
  if (!isChosen && optional.length <= MAX_OPTIONAL) for (const kind of kinds) add(kind, false);
  return asked;
}

function namesCredential(param: Param): boolean {
  return param.kind.type === "credentialKind" || param.name === "genericAuthType";
}

/** A choice such as `basicAuth` or `postgres`, whose values speak of the kinds. */
function choosesAmong(param: Param, kinds: readonly string[]): boolean {
  if (param.kind.type !== "choice" || namesCredential(param)) return false;
  return param.kind.options.some((option) =>
    kinds.some((kind) => typeof option.value === "string" && matchesKind(option.value, kind)),
  );
}

const MIN_MATCH_CHARS = 3;

function matchesKind(value: string, kind: string): boolean {
  return value.length >= MIN_MATCH_CHARS && kind.toLowerCase().includes(value.toLowerCase());
}
