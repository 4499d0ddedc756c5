/** What projects are called. */
import { describe, expect, it } from "vitest";
import { type Project, projectName } from "./projects";

const project = (name: string, type: Project["type"]): Project => ({
  id: "1",
  name,
  type,
  createdAt: "",
  updatedAt: "",
});

describe("a project", () => {
  it("of one person is called by the name, or by the address", () => {
    expect(projectName(project("Ada Byron <ada@example.com>", "personal")).name).toBe("Ada Byron");
    expect(projectName(project("<ada@example.com>", "personal")).name).toBe("ada@example.com");
    expect(projectName(project("Ada", "personal")).name).toBe("Ada");
  });

  it("of a team is called as it was named", () => {
    expect(projectName(project("Sales <north>", "team")).name).toBe("Sales <north>");
  });
});
