/** A policy's text: what is read from it, and changes that leave the rest as it was written. */
import { describe, expect, it } from "vitest";
import { isProblem, type PolicyDocument, readPolicy, readServerProblem } from "./policyDocument";
import {
  addEntry,
  changeEntry,
  mergeStops,
  removeEntry,
  setDefault,
  TextOnly,
} from "./policyEdits";
import { newEntry } from "./policyEntry";

const TEXT = `# Agreed in March
default = "allow"  # for now

# Money is asked for.
[[rule]]
name = "payments above 100"   # not refunds
effects = ["spend"]
arguments = [{ path = "amount", above = 100 }]
action = 'approve'

[[rule]]
node_types = "n8n-nodes-base.gmail*"
arguments = [{ path = "to", none_of = ["*@example.com", "*@ours.example"] }]
action = "deny"
reason = "Use the help desk."

[[limit]]
name = "mail"
per = "session"
calls = 3
seconds = 3600
`;

function read(text: string): PolicyDocument {
  const found = readPolicy(text);
  if (isProblem(found)) throw new Error(`${found.line}: ${found.message}`);
  return found;
}

const ruleOf = (text: string, index: number) => {
  const found = read(text).entries.rule[index];
  if (!found) throw new Error("no such rule");
  return found;
};

describe("what is read", () => {
  it("is every entry with what it is called", () => {
    const { entries, defaultAction } = read(TEXT);
    expect(defaultAction).toBe("allow");
    expect(entries.rule.map((one) => one.title)).toEqual(["payments above 100", "rule 2"]);
    expect(entries.limit[0]?.entry).toMatchObject({ per: "session", calls: 3, seconds: 3600 });
    expect(entries.rule[0]?.entry.arguments).toEqual([
      { path: "amount", test: "above", value: "100" },
    ]);
    expect(entries.rule[1]?.entry).toMatchObject({
      node_types: ["n8n-nodes-base.gmail*"],
      action: "deny",
    });
  });

  it("has a line and a column where the text is not TOML", () => {
    expect(readPolicy('[[rule]]\naction = = "deny"')).toMatchObject({ line: 2, column: 10 });
    for (const text of ["[", "a", "[[rule]", '"', "x = {", "\0"])
      expect(isProblem(readPolicy(text)), text).toBe(true);
  });

  it("is nothing of what is of another shape", () => {
    for (const text of ["rule = 5", "rule = [1, 2]", "[rule]\na = 1", ""])
      expect(read(text).entries.rule, text).toEqual([]);
    expect(read("[[rule]]\ntools = 5\narguments = [3]\naction = []").entries.rule).toHaveLength(1);
  });

  it("can be changed by the text only where it is not written as a table of its own", () => {
    const isTextOnly = (text: string) => read(text).entries.rule[0]?.isTextOnly;
    expect(isTextOnly('rule = [{ action = "deny" }]')).toBe(true);
    expect(isTextOnly('[[rule]]\naction = "deny"\n[[rule.arguments]]\npath = "a"\nabove = 1')).toBe(
      true,
    );
    expect(isTextOnly(TEXT)).toBe(false);
  });
});

describe("a change", () => {
  it("touches only the lines that say something else", () => {
    const { entry } = ruleOf(TEXT, 0);
    const tests = [{ path: "amount", test: "above" as const, value: "250" }];
    const next = changeEntry(TEXT, 0, { ...entry, arguments: tests, untrusted: true });
    expect(next).toBe(
      TEXT.replace("above = 100", "above = 250").replace(
        "action = 'approve'\n",
        "action = 'approve'\nuntrusted = true\n",
      ),
    );
    expect(changeEntry(TEXT, 0, entry)).toBe(TEXT);
  });

  it("takes away what is no longer said", () => {
    const { entry } = ruleOf(TEXT, 1);
    expect(changeEntry(TEXT, 1, { ...entry, reason: "", arguments: [] })).toBe(
      TEXT.replace('reason = "Use the help desk."\n', "").replace(
        /arguments = \[\{ path = "to"[^\n]*\n/,
        "",
      ),
    );
  });

  it("writes names that hold anything", () => {
    const name = 'a "quoted" \\ name\nwith \u007f and ü]';
    const next = addEntry(TEXT, { ...newEntry("rule"), name, tools: ["a", "b*"] });
    expect(next.startsWith(TEXT.trimEnd())).toBe(true);
    expect(ruleOf(next, 2).entry).toMatchObject({ name, tools: ["a", "b*"], action: "approve" });
  });

  it("begins a policy that has nothing yet", () => {
    expect(addEntry("", { ...newEntry("limit"), name: "all" })).toBe(
      '[[limit]]\nname = "all"\nper = "session"\ncalls = 10\nseconds = 3600\n',
    );
  });

  it("is refused where the form would lose something", () => {
    const inline = 'rule = [{ action = "deny" }]\n';
    expect(() => changeEntry(inline, 0, newEntry("rule"))).toThrow(TextOnly);
    expect(() => removeEntry(inline, "rule", 0)).toThrow(TextOnly);
    expect(() => addEntry(inline, newEntry("rule"))).toThrow(TextOnly);
    expect(() => addEntry("[[", newEntry("rule"))).toThrow(TextOnly);
  });

  it("works in a text without an end of line", () => {
    const text = '[[rule]]\naction = "deny"';
    const next = changeEntry(text, 0, { ...ruleOf(text, 0).entry, tools: ["x"] });
    expect(next).toBe('[[rule]]\naction = "deny"\ntools = "x"\n');
  });
});

describe("a removed entry", () => {
  it("takes its comment along, and nothing else", () => {
    const next = removeEntry(TEXT, "rule", 0);
    expect(next).not.toContain("Money is asked for");
    expect(next).toContain("# Agreed in March");
    expect(read(next).entries.rule.map((one) => one.entry.action)).toEqual(["deny"]);
    expect(read(removeEntry(next, "rule", 0)).entries.rule).toEqual([]);
    expect(removeEntry(TEXT, "limit", 0)).toBe(TEXT.slice(0, TEXT.indexOf("[[limit]]")));
  });

  it("leaves the comment at the top of the file", () => {
    const text = '# Our policy\n[[rule]]\naction = "deny"\n';
    expect(removeEntry(text, "rule", 0)).toBe("# Our policy\n");
  });

  it("takes its tables of conditions along", () => {
    const text =
      '[[rule]]\naction = "deny"\n[[rule.arguments]]\npath = "a"\nabove = 1\n\n[[rule]]\naction = "allow"\n';
    expect(read(removeEntry(text, "rule", 0)).entries.rule.map((one) => one.entry.action)).toEqual([
      "allow",
    ]);
  });
});

describe("a draft, while others stop tools", () => {
  const stop = (name: string) => `\n[[stop]]\nname = "${name}"\ntools = "${name}"\n`;
  const draft = addEntry(TEXT, { ...newEntry("rule"), name: "mine" });
  const titles = (text: string | null) => read(text ?? "").entries.stop.map((one) => one.title);

  it("gets the new stop, and keeps what was changed", () => {
    const merged = mergeStops(TEXT, TEXT + stop("send"), draft);
    expect(titles(merged)).toEqual(["send"]);
    expect(merged?.startsWith(draft.trimEnd())).toBe(true);
    expect(titles(mergeStops("", stop("send"), '[[rule]]\naction = "deny"\n'))).toEqual(["send"]);
  });

  it("loses the stop that was removed, and no other", () => {
    const base = TEXT + stop("send") + stop("mail");
    const mine = draft + stop("send") + stop("mail") + stop("own");
    expect(titles(mergeStops(base, TEXT + stop("mail"), mine))).toEqual(["mail", "own"]);
  });

  it("is left to a person where more has changed, or a text cannot be read", () => {
    const other = setDefault(TEXT, "deny") + stop("send");
    expect(mergeStops(TEXT, other, draft)).toBeNull();
    expect(mergeStops(TEXT, TEXT + stop("send"), "[[")).toBeNull();
    expect(mergeStops(TEXT, 'stop = [{ tools = "x" }]\n'.concat(TEXT), draft)).toBeNull();
  });
});

describe("the default", () => {
  it("is changed in its place, or set before all tables", () => {
    expect(setDefault(TEXT, "deny")).toBe(
      TEXT.replace('default = "allow"  #', 'default = "deny"  #'),
    );
    const text = '# Words\n[[rule]]\naction = "allow"\n';
    expect(setDefault(text, "deny")).toBe(
      '# Words\ndefault = "deny"\n\n[[rule]]\naction = "allow"\n',
    );
    expect(read(setDefault("", "deny")).defaultAction).toBe("deny");
  });
});

it("the server's word about a text has its line", () => {
  expect(readServerProblem("line 12: tool is unknown")).toEqual({
    line: 12,
    message: "tool is unknown",
  });
  expect(readServerProblem("too large")).toEqual({ line: 1, message: "too large" });
});
