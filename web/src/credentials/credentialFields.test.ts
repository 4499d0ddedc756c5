/** How the form of a credential is made, and what may be sent. */
import { describe, expect, it } from "vitest";
import { allowsExtraFields, credentialData, listFields, validateFields } from "./credentialFields";
import { findKind, humanize, listKinds } from "./credentialKinds";

const text = { type: "string" };
const schema = {
  properties: {
    apiKey: text,
    organizationId: text,
    url: text,
    header: { type: "boolean" },
    allowedDomains: text,
  },
  required: ["apiKey"],
  additionalProperties: true,
};

describe("the form of a credential", () => {
  it("hides what is secret and puts last what few need", () => {
    const fields = listFields("openAiApi", schema);
    expect(fields.map((field) => [field.name, field.kind, field.rare])).toEqual([
      ["apiKey", "secret", false],
      ["url", "text", false],
      ["organizationId", "text", true],
      ["header", "flag", true],
      ["allowedDomains", "text", true],
    ]);
    expect(allowsExtraFields(schema)).toBe(true);
  });

  it("has room for keys and choices for what has few values", () => {
    const of = (type: string, name: string) =>
      listFields(type, { properties: { [name]: text } })[0];
    expect(of("googleApi", "privateKey")?.kind).toBe("long");
    expect(of("httpSslAuth", "key")?.kind).toBe("long");
    expect(of("postgres", "ssl")?.options).toContain("require");
    expect(of("httpHeaderAuth", "value")?.kind).toBe("secret");
    expect(of("httpHeaderAuth", "name")?.kind).toBe("text");
  });

  it("does not ask for tokens that a service gives", () => {
    expect(listFields("oAuth2Api", { properties: { oauthTokenData: {} } })).toEqual([]);
  });

  it("asks for what is needed only while the credential is new", () => {
    const fields = listFields("openAiApi", schema);
    expect(validateFields(fields, {}, true)).toEqual({ apiKey: "API key is required." });
    expect(validateFields(fields, {}, false)).toEqual({});
  });

  it("tells the name of a header from the name of the credential", () => {
    const [name] = listFields("httpHeaderAuth", { properties: { name: text, value: text } });
    expect(name?.label).toBe("Header name");
  });

  it("checks JSON before it is sent", () => {
    const fields = listFields("httpCustomAuth", { properties: { json: text }, required: ["json"] });
    expect(validateFields(fields, { json: "{" }, true).json).toMatch(/Invalid JSON/);
  });

  it("sends only what was typed, also when it is no or zero", () => {
    expect(credentialData({ a: "x", b: "", c: undefined, d: false, e: 0 })).toEqual({
      a: "x",
      d: false,
      e: 0,
    });
  });
});

describe("kinds of credentials", () => {
  it("have names that people know, and others are spelled out", () => {
    expect(findKind("openAiApi").name).toBe("OpenAI");
    expect(findKind("fancyShopApi").name).toBe("Fancy shop");
    expect(humanize("accessTokenUrl")).toBe("Access token URL");
    expect(humanize("api_key")).toBe("API key");
  });

  it("include those that only a node knows", () => {
    expect(
      listKinds(["fancyShopApi", "openAiApi"]).filter((kind) => kind.type === "fancyShopApi")
        .length,
    ).toBe(1);
    expect(listKinds([])[0]?.group).toBe("Models");
  });
});
