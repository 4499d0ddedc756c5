import { expect, test } from "vitest";
import type { NodeType } from "../api/spec";
import { askedCredentials } from "./credential-kinds";
import type { JsonObject, Param } from "./spec";
import { param } from "./testing";

function kinds(params: Param[], credentials: NodeType["credentials"], values: JsonObject) {
  return askedCredentials({ params, credentials } as NodeType, values, 1).map((one) => one.kind);
}

const choice = (name: string, ...values: string[]) =>
  param(name, { type: "choice", options: values.map((value) => ({ value, label: value, help: "" })) });

const http = [
  param("nodeCredentialType", { type: "credentialKind" }, { show: [{ param: "authentication", anyOf: [{ is: "predefined" }] }] }),
  param("genericAuthType", { type: "choice", options: [] }, { show: [{ param: "authentication", anyOf: [{ is: "generic" }] }] }),
];

test("a request asks for the kind that its parameter names, and for none without", () => {
  const uses = [{ kind: "httpBasicAuth", required: false }];
  expect(kinds(http, uses, { authentication: "none" })).toEqual([]);
  expect(kinds(http, uses, { authentication: "generic", genericAuthType: "httpBasicAuth" })).toEqual(["httpBasicAuth"]);
  expect(kinds(http, uses, { authentication: "predefined", nodeCredentialType: "githubApi", genericAuthType: "x" })).toEqual([
    "githubApi",
  ]);
});

test("a webhook asks for what its choice of authentication means", () => {
  const params = [choice("authentication", "none", "basicAuth", "headerAuth")];
  const uses = [
    { kind: "httpBasicAuth", required: false },
    { kind: "httpHeaderAuth", required: false },
  ];
  expect(kinds(params, uses, { authentication: "none" })).toEqual([]);
  expect(kinds(params, uses, { authentication: "headerAuth" })).toEqual(["httpHeaderAuth"]);
});

test("what is required is always asked for, and a few optional ones are offered", () => {
  expect(kinds([], [{ kind: "openAiApi", required: true }], {})).toEqual(["openAiApi"]);
  expect(kinds([], [{ kind: "openAiApi", required: false }], {})).toEqual(["openAiApi"]);
});

test("any choice whose values speak of the kinds decides among them", () => {
  const uses = [
    { kind: "postgres", required: false },
    { kind: "mySql", required: false },
  ];
  expect(kinds([choice("database", "postgres", "mysql", "sqlite")], uses, { database: "mysql" })).toEqual(["mySql"]);
  expect(kinds([choice("database", "postgres", "mysql", "sqlite")], uses, { database: "sqlite" })).toEqual([]);
});
