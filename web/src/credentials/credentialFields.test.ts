/** How the form of a credential is made, and what may be sent. */
import { describe, expect, it } from "vitest";
import { credentialData, listFields, validateFields } from "./credentialFields";
import { type CredentialTypeField, CredentialTypes } from "./credentialTypes";

const field = (name: string, given: Partial<CredentialTypeField> = {}): CredentialTypeField => ({
  name,
  label: name,
  kind: "text",
  role: "plain",
  required: false,
  advanced: false,
  hint: "",
  placeholder: "",
  options: [],
  ...given,
});

const OPENAI = {
  id: "openAiApi",
  aliases: ["openaiApi"],
  name: "OpenAI",
  group: "Models",
  allowsOtherFields: true,
  helpUrl: "",
  baseUrl: "",
  prefixes: [],
  fields: [
    field("apiKey", { label: "API key", role: "secret", required: true }),
    field("json", { kind: "json" }),
    field("oauthTokenData", { kind: "hidden" }),
  ],
};
const GOOGLE = {
  ...OPENAI,
  id: "googleOAuth2Api",
  aliases: [],
  name: "Google (OAuth2)",
  group: "Services",
  prefixes: ["google", "gmail"],
};
const types = new CredentialTypes([GOOGLE, OPENAI]);

describe("the form of a credential", () => {
  const fields = listFields(types.find("openAiApi"));

  it("does not ask for tokens that a service gives", () => {
    expect(fields.map((one) => one.name)).toEqual(["apiKey", "json"]);
  });

  it("asks for what is needed only while the credential is new", () => {
    expect(validateFields(fields, {}, true)).toEqual({ apiKey: "API key is required." });
    expect(validateFields(fields, {}, false)).toEqual({});
  });

  it("checks JSON before it is sent", () => {
    expect(validateFields(fields, { json: "{" }, false).json).toMatch(/Invalid JSON/);
  });

  it("sends only what was typed, also when it is no or zero", () => {
    expect(credentialData({ a: "x", b: "", c: undefined, d: false, e: 0 })).toEqual({
      a: "x",
      d: false,
      e: 0,
    });
  });
});

describe("credential types", () => {
  it("are found by id, by alias and by how the names of a service's types begin", () => {
    expect(types.find("openaiApi").name).toBe("OpenAI");
    expect(types.find("googleSheetsOAuth2Api").fields).toEqual(GOOGLE.fields);
    expect(types.find("googleSheetsOAuth2Api").name).toBe("Google sheets");
    expect(types.find("fancyShopApi")).toMatchObject({ name: "Fancy shop", fields: [] });
  });

  it("are listed group by group, with those that only a node knows", () => {
    expect(types.list(["fancyShopApi", "openaiApi"]).map((type) => type.id)).toEqual([
      "openAiApi",
      "googleOAuth2Api",
      "fancyShopApi",
    ]);
  });
});
