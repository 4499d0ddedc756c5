import { expect, test } from "vitest";
import { renameInCode, renameInValue } from "./renameReferences";

function check(text: string, old: string, to: string, expected: string) {
  expect(renameInCode(text, new Map([[old, to]]))).toBe(expected);
}

test("every form of reference follows", () => {
  check("$('Old').item.json.a", "Old", "New", "$('New').item.json.a");
  check(
    '$node["Old"].json + $items("Old", 0)',
    "Old",
    "New 1",
    '$node["New 1"].json + $items("New 1", 0)',
  );
  check("$node.Old.json", "Old", "New", "$node.New.json");
  check("$node.Old.json", "Old", "New 1", '$node["New 1"].json');
  check("$( 'it\\'s' )", "it's", "x", "$( 'x' )");
});

test("other names stay", () => {
  for (const text of [
    "$('Older')",
    "$node.Older.json",
    "my$('Old')",
    "foo('Old')",
    "'Old'",
    "$json.Old",
    "$('Old",
  ]) {
    check(text, "Old", "New", text);
  }
});

test("quotes in the new name cannot break out", () => {
  check("$('Old')", "Old", "a'); evil('", "$('a\\'); evil(\\'')");
  check("$(`Old`)", "Old", "${x}`", "$(`\\${x}\\``)");
  check("$('Old')", "Old", "a}}{{ evil() }}", "$('a}\\x7d{{ evil() }\\x7d')");
});

test("only what stands in brackets is code in an expression, and code is code as a whole", () => {
  const names = new Map([["Old", "New"]]);
  expect(renameInValue("=$('Old') {{ $('Old').x }} $('Old')", names)).toBe(
    "=$('Old') {{ $('New').x }} $('Old')",
  );
  expect(renameInValue("return $('Old').all()", names)).toBe("return $('New').all()");
  expect(renameInValue("=\\{{ $('Old') }}", names)).toBe("=\\{{ $('Old') }}");
});

test("names that change places follow in one go", () => {
  const swapped = new Map([
    ["A", "B"],
    ["B", "A"],
  ]);
  expect(renameInCode("$('A') + $('B')", swapped)).toBe("$('B') + $('A')");
});

test("a value without references stays the same value", () => {
  const value = { a: ["={{ $json.x }}"] };
  expect(renameInValue(value, new Map([["Old", "New"]]))).toBe(value);
});
