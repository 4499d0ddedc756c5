import { expect, test } from "vitest";
import { typeOver } from "./typeOver";

/** Types a text character by character behind `{{  }}` as the editor has written it, with the cursor in the middle. */
function typed(characters: string, text = "{{  }}", cursor = 3): string {
  for (const character of characters) {
    const over = typeOver(text, cursor, character);
    text = over
      ? text.slice(0, over.from) + text.slice(over.to)
      : text.slice(0, cursor) + character + text.slice(cursor);
    cursor = over ? over.cursor : cursor + 1;
  }
  return text;
}

test("an expression typed to its end is not closed twice", () => {
  expect(typed(" $json.n }}")).toBe("{{ $json.n }}");
  expect(typed("$json.n}}")).toBe("{{ $json.n }}");
  expect(typed("$json.n }} and more")).toBe("{{ $json.n }} and more");
});

test("a brace that closes an object of the code is written", () => {
  expect(typed("({ a: 1 }).a }}")).toBe("{{ ({ a: 1 }).a }}");
});

test("text outside of code is written as it is typed", () => {
  expect(typeOver("a } b", 2, "}")).toBeUndefined();
  expect(typeOver("{{ 1 }} b", 8, " ")).toBeUndefined();
  expect(typeOver("{{ open", 7, "}")).toBeUndefined();
});
