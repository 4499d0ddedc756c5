// Folders of `src` import one way: a folder may import itself and those that stand before it. `lint/README.md` says what each holds.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { describe, expect, it } from "vitest";

const LAYERS = [
  "theme",
  "api",
  "ui",
  "graph",
  "shared",
  "templates",
  "workflows",
  "credentials",
  "palette",
  "run",
  "store",
  "runner",
  "drafts",
  "data",
  "expression",
  "fields",
  "timeline",
  "chat",
  "drawer",
  "panel",
  "editor",
  "pages",
  "app",
];

describe("folders import one way", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => `src/${path.split(sep).join("/")}`);

  it("and every folder has its place", () => {
    const folders = new Set(files.map(folderOf).filter((folder) => folder !== ""));
    expect([...folders].sort()).toEqual([...LAYERS].sort());
  });

  it("and no import goes against it", () => {
    expect(files.flatMap((file) => wrongImports(file, readFileSync(file, "utf8")))).toEqual([]);
  });
});

describe("an import against the order", () => {
  const refused = "src/ui/x.ts imports src/editor/y: folder ui may not import folder editor";

  it.each([
    'import { y } from "../editor/y";',
    'import type { Y } from "../editor/y";',
    'import {\n  a,\n  b,\n} from "../editor/y";',
    'import "../editor/y";',
    'export * from "../editor/y";',
    'const y = () => import("../editor/y");',
  ])("is found in %j", (code) => {
    expect(wrongImports("src/ui/x.ts", code)).toEqual([refused]);
  });

  it.each([
    'import { cx } from "./cx";',
    'import { api } from "../api/client";',
    'import "react";',
  ])("is not %j", (code) => {
    expect(wrongImports("src/ui/x.ts", code)).toEqual([]);
  });
});

/** The folder of `src` a file is in; none for those that start the editor. */
function folderOf(path: string): string {
  const [, folder = "", file] = path.split("/");
  return file === undefined && folder.includes(".") ? "" : folder;
}

/** What a file imports that it may not. */
function wrongImports(file: string, code: string): string[] {
  const from = folderOf(file);
  if (from === "") return [];
  const imports = [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g)];
  return imports.flatMap(([, path = ""]) => {
    const target = normalize(join(dirname(file), path))
      .split(sep)
      .join("/");
    const to = folderOf(target);
    const isAllowed =
      to === from || (LAYERS.includes(to) && LAYERS.indexOf(to) < LAYERS.indexOf(from));
    return isAllowed
      ? []
      : [`${file} imports ${target}: folder ${from} may not import folder ${to || "src"}`];
  });
}
