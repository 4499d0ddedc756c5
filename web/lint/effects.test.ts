// The linter refuses effects that return a value, in each way they can be written.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const PLUGIN = "./lint/effects.grit";
const folder = mkdtempSync(join(tmpdir(), "heddle-lint-"));
afterAll(() => rmSync(folder, { recursive: true }));

const REFUSED = {
  "a call as the whole body": "useEffect(() => list.scrollIntoView());",
  "a call with dependencies": "useEffect(() => list.scrollIntoView(), [list]);",
  "a concise clean-up": "useLayoutEffect(() => () => stop(), []);",
  "a function from elsewhere": "useEffect(start, [start]);",
  "an async function": "useInsertionEffect(async () => { await start(); }, []);",
  "a function expression": "useEffect(function () { return start(); }, []);",
  "a returned call": "useEffect(() => { if (list) return start(null); stop(); }, []);",
  "a returned name": "useEffect(() => { const end = start(); return end; }, []);",
  "a call returned from a branch":
    "useEffect(() => { switch (list) { case 1: return start(); } }, []);",
  "a hook of the namespace": "React.useEffect(() => start());",
};

const ALLOWED = {
  "a block": "useEffect(() => { list.scrollIntoView(); });",
  "a clean-up": "useEffect(() => { start(); return () => stop(); }, []);",
  "a longer clean-up": "useEffect(() => { start(); return () => { stop(); return 4; }; }, []);",
  "an early end": "useEffect(() => { if (!list) return; start(); }, []);",
  "values of inner functions":
    "useEffect(() => { start(list.map((one) => { return one.id; }), { get id() { return 1; } }); }, []);",
};

describe("issue_14_00_an_effect_that_returns_a_value_is_refused", () => {
  const refused = refusals({ ...REFUSED, ...ALLOWED });

  it.each(Object.keys(REFUSED))("%s", (name) => {
    expect(refused).toContain(name);
  });

  it.each(Object.keys(ALLOWED))("but not %s", (name) => {
    expect(refused).not.toContain(name);
  });

  it("by the rules that `npm run check` goes by", () => {
    expect(JSON.parse(readFileSync("biome.json", "utf8")).plugins).toContain(PLUGIN);
  });
});

/** The names of the effects that the plugin objects to, as errors. */
function refusals(effects: Record<string, string>): string[] {
  const names = Object.keys(effects);
  writeFileSync(
    join(folder, "biome.json"),
    JSON.stringify({
      root: true,
      plugins: [resolve(PLUGIN)],
      linter: { rules: { preset: "none" } },
    }),
  );
  for (const [at, effect] of Object.values(effects).entries()) {
    writeFileSync(
      join(folder, `${at}.tsx`),
      `export function Example({ list, start, stop }) {\n  ${effect}\n}\n`,
    );
  }
  const biome = [
    resolve("node_modules/@biomejs/biome/bin/biome"),
    "lint",
    "--reporter=github",
    "--max-diagnostics=none",
    ".",
  ];
  const { stdout } = spawnSync(process.execPath, biome, { cwd: folder, encoding: "utf8" });
  return [...stdout.matchAll(/^::error title=plugin,file=\S*?(\d+)\.tsx,/gm)].map(
    ([, at]) => names[Number(at)] ?? "",
  );
}
