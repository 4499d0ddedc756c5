import { expect, test } from "vitest";
import type { NodeType } from "../api/spec";
import type { JsonObject, Param } from "../graph/json";
import { testParam } from "../graph/testParam";
import { requiredCredentials } from "./requiredCredentials";

function kinds(params: Param[], credentials: NodeType["credentials"], values: JsonObject) {
  return requiredCredentials({ params, credentials } as NodeType, values, 1).map((one) => one.kind);
}

const choice = (name: string, ...values: string[]) =>
  testParam(name, {
    type: "choice",
    options: values.map((value) => ({ value, label: value, help: "" })),
  });

const http = [
  testParam(
    "nodeCredentialType",
    { type: "credentialKind" },
    { show: [{ param: "authentication", anyOf: [{ is: "predefined" }] }] },
  ),
  testParam(
    "genericAuthType",
    { type: "choice", options: [] },
    { show: [{ param: "authentication", anyOf: [{ is: "generic" }] }] },
  ),
];

test("a request asks for the kind that its parameter names, and for none without", () => {
  const uses = [{ kind: "httpBasicAuth", required: false }];
  expect(kinds(http, uses, { authentication: "none" })).toEqual([]);
  expect(
    kinds(http, uses, { authentication: "generic", genericAuthType: "httpBasicAuth" }),
  ).toEqual(["httpBasicAuth"]);
  expect(
    kinds(http, uses, {
      authentication: "predefined",
      nodeCredentialType: "githubApi",
      genericAuthType: "x",
    }),
  ).toEqual(["githubApi"]);
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
  expect(
    kinds([choice("database", "postgres", "mysql", "sqlite")], uses, { database: "mysql" }),
  ).toEqual(["mySql"]);
  expect(
    kinds([choice("database", "postgres", "mysql", "sqlite")], uses, { database: "sqlite" }),
  ).toEqual([]);
});
