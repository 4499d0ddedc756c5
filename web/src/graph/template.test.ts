import { expect, test } from "vitest";
import {
  codeAt,
  dropIntoValue,
  fieldCode,
  pastedExpression,
  segments,
  toAccessor,
  toExpression,
  toFixedValue,
  typedExpression,
} from "./template";

test("a text is split into what is said and what is computed", () => {
  expect(segments("Hi {{ $json.a }}!").map((piece) => [piece.kind, piece.text])).toEqual([
    ["text", "Hi "],
    ["code", " $json.a "],
    ["text", "!"],
  ]);
  expect(segments("{{ open")[0]).toMatchObject({ kind: "code", closed: false, text: " open" });
  expect(segments("")).toEqual([]);
});

test("the code around a position is found, and nothing outside of it", () => {
  expect(codeAt("a {{ b }} c", 5)?.text).toBe(" b ");
  expect(codeAt("a {{ b }} c", 1)).toBeUndefined();
  expect(codeAt("a {{ b", 6)?.text).toBe(" b");
});

test("names that are no plain words are put in brackets", () => {
  expect(toAccessor(["a", "b c", 0, 'say "x"'])).toBe('.a["b c"][0]["say \\"x\\""]');
});

test("a field of the direct input is short, one from further up names its node", () => {
  expect(fieldCode({ node: "Set", path: ["a"] }, "Set")).toBe("$json.a");
  expect(fieldCode({ node: "It's", path: ["a"] }, "Set")).toBe("$('It\\'s').item.json.a");
});

test("a dropped field joins a text and replaces everything else", () => {
  expect(dropIntoValue("", "$json.a", "text")).toBe("={{ $json.a }}");
  expect(dropIntoValue("Hi", "$json.a", "text")).toBe("=Hi {{ $json.a }}");
  expect(dropIntoValue(5, "$json.a", "number")).toBe("={{ $json.a }}");
  expect(dropIntoValue("=Hi {{ $json.a }}", "$json.b", "text")).toBe(
    "=Hi {{ $json.a }} {{ $json.b }}",
  );
});

test("a field dropped into code is not put in brackets again", () => {
  expect(dropIntoValue("={{ 1 +  }}", "$json.b", "text", 7)).toBe("={{ 1 + $json.b }}");
});

test("a value becomes an expression that gives the same, and comes back", () => {
  for (const [value, kind] of [
    ["text", "text"],
    [5, "number"],
    [true, "flag"],
  ] as const) {
    expect(toFixedValue(toExpression(value), kind, undefined, undefined)).toBe(value);
  }
});

test("an expression that is given up leaves what it gave last, or the default", () => {
  expect(toFixedValue("={{ $json.n }}", "number", 7, 1)).toBe(7);
  expect(toFixedValue("={{ $json.n }}", "number", "x", 1)).toBe(1);
  expect(toFixedValue("={{ $json.n }}", "text", { a: 1 }, "")).toBe('{"a":1}');
  expect(toFixedValue("=", "choice", undefined, "a")).toBe("a");
});

test("code that is typed or pasted into a fixed text makes it an expression", () => {
  expect(typedExpression("Hi {{ $json.name }}!", "", "text")).toEqual({
    expression: "=Hi {{ $json.name }}!",
  });
  expect(typedExpression("Hi {{json.name}}", "", "longText")?.expression).toBe(
    "=Hi {{$json.name}}",
  );
  expect(typedExpression("Hi {", "Hi ", "text")).toBeUndefined();
  expect(typedExpression("Hi {{", "Hi {", "text")).toEqual({
    expression: "=Hi {{  }}",
    cursor: 6,
  });
  expect(typedExpression("a {{ b", "a {{", "text")).toBeUndefined();
});

test("braces of JSON and of programs are no code of an expression", () => {
  expect(typedExpression('{ "a": {{', '{ "a": {', "json")).toBeUndefined();
  expect(typedExpression('{ "a": {{ $json.a }} }', "", "json")?.expression).toBe(
    '={ "a": {{ $json.a }} }',
  );
  expect(typedExpression("{{ a }}", "", "code")).toBeUndefined();
  expect(typedExpression("{{ a }}", "", "secret")).toBeUndefined();
});

test("an expression can be pasted into a field that takes no text", () => {
  expect(pastedExpression(" {{ $json.n }} ", "number")).toBe("={{ $json.n }}");
  expect(pastedExpression("={{ $json.n }}", "flag")).toBe("={{ $json.n }}");
  expect(pastedExpression("12", "number")).toBeUndefined();
  expect(pastedExpression("{{ $json.n }}", "text")).toBeUndefined();
});
