/** How the form of a credential is made, and what may be sent. */
import { describe, expect, it } from "vitest";
import { dataOf, fieldsOf, isOpen, mistakes } from "./fields";
import { kindOf, kindsWith, words } from "./kinds";

const text = { type: "string" };
const schema = {
  properties: { apiKey: text, organizationId: text, url: text, header: { type: "boolean" }, allowedDomains: text },
  required: ["apiKey"],
  additionalProperties: true,
};

describe("the form of a credential", () => {
  it("hides what is secret and puts last what few need", () => {
    const fields = fieldsOf("openAiApi", schema);
    expect(fields.map((field) => [field.name, field.kind, field.rare])).toEqual([
      ["apiKey", "secret", false],
      ["url", "text", false],
      ["organizationId", "text", true],
      ["header", "flag", true],
      ["allowedDomains", "text", true],
    ]);
    expect(isOpen(schema)).toBe(true);
  });

  it("has room for keys and choices for what has few values", () => {
    const of = (type: string, name: string) => fieldsOf(type, { properties: { [name]: text } })[0];
    expect(of("googleApi", "privateKey")?.kind).toBe("long");
    expect(of("httpSslAuth", "key")?.kind).toBe("long");
    expect(of("postgres", "ssl")?.options).toContain("require");
    expect(of("httpHeaderAuth", "value")?.kind).toBe("secret");
    expect(of("httpHeaderAuth", "name")?.kind).toBe("text");
  });

  it("does not ask for tokens that a service gives", () => {
    expect(fieldsOf("oAuth2Api", { properties: { oauthTokenData: {} } })).toEqual([]);
  });

  it("asks for what is needed only while the credential is new", () => {
    const fields = fieldsOf("openAiApi", schema);
    expect(mistakes(fields, {}, true)).toEqual({ apiKey: "API key is needed." });
    expect(mistakes(fields, {}, false)).toEqual({});
  });

  it("tells the name of a header from the name of the credential", () => {
    const [name] = fieldsOf("httpHeaderAuth", { properties: { name: text, value: text } });
    expect(name?.label).toBe("Header name");
  });

  it("checks JSON before it is sent", () => {
    const fields = fieldsOf("httpCustomAuth", { properties: { json: text }, required: ["json"] });
    expect(mistakes(fields, { json: "{" }, true).json).toMatch(/no JSON/);
  });

  it("sends only what was typed, also when it is no or zero", () => {
    expect(dataOf({ a: "x", b: "", c: undefined, d: false, e: 0 })).toEqual({ a: "x", d: false, e: 0 });
  });
});

describe("kinds of credentials", () => {
  it("have names that people know, and others are spelled out", () => {
    expect(kindOf("openAiApi").name).toBe("OpenAI");
    expect(kindOf("fancyShopApi").name).toBe("Fancy shop");
    expect(words("accessTokenUrl")).toBe("Access token URL");
    expect(words("api_key")).toBe("API key");
  });

  it("include those that only a node knows", () => {
    expect(kindsWith(["fancyShopApi", "openAiApi"]).filter((kind) => kind.type === "fancyShopApi").length).toBe(1);
    expect(kindsWith([])[0]?.group).toBe("Models");
  });
});
