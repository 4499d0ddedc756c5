/** What projects are called. */
import { describe, expect, it } from "vitest";
import { called, type Project } from "./projectData";

const project = (name: string, type: Project["type"]): Project => ({ id: "1", name, type, createdAt: "", updatedAt: "" });

describe("a project", () => {
  it("of one person is called by the name, or by the address", () => {
    expect(called(project("Ada Byron <ada@example.com>", "personal")).name).toBe("Ada Byron");
    expect(called(project("<ada@example.com>", "personal")).name).toBe("ada@example.com");
    expect(called(project("Ada", "personal")).name).toBe("Ada");
  });

  it("of a team is called as it was named", () => {
    expect(called(project("Sales <north>", "team")).name).toBe("Sales <north>");
  });
});
