/** Which credentials a node asks for with the parameters it has now. */

import type { NodeType } from "../api/spec";
import { shown } from "./shown";
import type { JsonObject } from "./spec";

export interface AskedCredential {
  kind: string;
  required: boolean;
}

/** More optional kinds than these are only shown once a parameter has chosen among them. */
const FEW = 3;

export function askedCredentials(type: NodeType, values: JsonObject, version: number): AskedCredential[] {
  const visible = shown(type.params, values, { version });
  const asked = type.credentials.filter((use) => use.required).map(({ kind, required }) => ({ kind, required }));
  const add = (kind: string, required: boolean) => {
    if (kind !== "" && !asked.some((one) => one.kind === kind)) asked.push({ kind, required });
  };
  const text = (name: string) => (typeof values[name] === "string" ? (values[name] as string) : "");
  // HTTP requests name the kind of credential in a parameter of its own.
  const namers = type.params.filter((param) => param.kind.type === "credentialKind" || param.name === "genericAuthType");
  for (const param of visible) {
    if (namers.some((namer) => namer.name === param.name) && !text(param.name).startsWith("=")) add(text(param.name), true);
  }
  if (values.provideSslCertificates === true && type.credentials.some((use) => use.kind === "httpSslAuth"))
    add("httpSslAuth", true);
  if (namers.length > 0) return asked;
  const choice = visible.find((param) => /authentication$/i.test(param.name) && param.kind.type === "choice");
  const chosen = choice ? text(choice.name).toLowerCase() : "";
  const optional = type.credentials.filter((use) => !use.required);
  if (choice && chosen !== "" && !chosen.startsWith("=")) {
    for (const use of optional) if (use.kind.toLowerCase().includes(chosen)) add(use.kind, true);
    return asked;
  }
  // Where the choice is hidden, as in a webhook that is not protected, no credential is asked for.
  const hasChoice = type.params.some((param) => /authentication$/i.test(param.name));
  if (!hasChoice && optional.length <= FEW) for (const use of optional) add(use.kind, false);
  return asked;
}
