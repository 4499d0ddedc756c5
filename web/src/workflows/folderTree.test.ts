/** The tree of folders. */
import { describe, expect, it } from "vitest";
import { countIn, folderPath, foldersIn, listMoveTargets } from "./folderTree";
import type { FolderRow, WorkflowRow } from "./workflowRows";

const folder = (id: string, parentId: string | null): FolderRow => ({
  id,
  name: id,
  parentId,
  projectId: null,
});
const folders = [
  folder("shop", null),
  folder("orders", "shop"),
  folder("late", "orders"),
  folder("lost", "gone"),
];
const row = (folderId: string | null, archived = false) => ({ folderId, archived }) as WorkflowRow;

describe("folders", () => {
  it("have a way that leads to them", () => {
    expect(folderPath(folders, "late").map((found) => found.id)).toEqual([
      "shop",
      "orders",
      "late",
    ]);
    expect(folderPath(folders, null)).toEqual([]);
    expect(folderPath(folders, "nowhere")).toEqual([]);
  });

  it("stand at the top when their parent is gone", () => {
    expect(foldersIn(folders, null).map((found) => found.id)).toEqual(["lost", "shop"]);
  });

  it("count what lies below them too, without what is archived", () => {
    expect(
      countIn(
        folders,
        [row("orders"), row("late"), row("late", true), row(null), row("lost")],
        "shop",
      ),
    ).toBe(2);
  });

  it("do not go into themselves or what is below them", () => {
    expect(listMoveTargets(folders, "orders").map((place) => place.id)).toEqual([
      null,
      "lost",
      "shop",
    ]);
    expect(listMoveTargets(folders, null).map((place) => `${place.depth} ${place.name}`)).toEqual([
      "0 No folder",
      "0 lost",
      "0 shop",
      "1 orders",
      "2 late",
    ]);
  });

  it("that contain each other do not hang the page", () => {
    const ring = [folder("a", "b"), folder("b", "a")];
    expect(folderPath(ring, "a").length).toBe(2);
  });
});
