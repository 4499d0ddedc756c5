/** The tree of folders. */
import { describe, expect, it } from "vitest";
import { countIn, foldersIn, pathTo, places } from "./folderTree";
import type { Folder, WorkflowRow } from "./rows";

const folder = (id: string, parentId: string | null): Folder => ({ id, name: id, parentId, projectId: null });
const folders = [folder("shop", null), folder("orders", "shop"), folder("late", "orders"), folder("lost", "gone")];
const row = (folderId: string | null, archived = false) => ({ folderId, archived }) as WorkflowRow;

describe("folders", () => {
  it("have a way that leads to them", () => {
    expect(pathTo(folders, "late").map((found) => found.id)).toEqual(["shop", "orders", "late"]);
    expect(pathTo(folders, null)).toEqual([]);
    expect(pathTo(folders, "nowhere")).toEqual([]);
  });

  it("stand at the top when their parent is gone", () => {
    expect(foldersIn(folders, null).map((found) => found.id)).toEqual(["lost", "shop"]);
  });

  it("count what lies below them too, without what is archived", () => {
    expect(countIn(folders, [row("orders"), row("late"), row("late", true), row(null), row("lost")], "shop")).toBe(2);
  });

  it("do not go into themselves or what is below them", () => {
    expect(places(folders, "orders").map((place) => place.id)).toEqual([null, "lost", "shop"]);
    expect(places(folders, null).map((place) => `${place.depth} ${place.name}`)).toEqual([
      "0 No folder",
      "0 lost",
      "0 shop",
      "1 orders",
      "2 late",
    ]);
  });

  it("that contain each other do not hang the page", () => {
    const ring = [folder("a", "b"), folder("b", "a")];
    expect(pathTo(ring, "a").length).toBe(2);
  });
});
