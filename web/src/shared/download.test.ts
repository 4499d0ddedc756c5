/** Names of files. */
import { describe, expect, it } from "vitest";
import { fileName } from "./download";

describe("the name of a file", () => {
  it("has only what every system takes", () => {
    expect(fileName('Orders: "new" / old?', "json")).toBe("Orders new old.json");
    expect(fileName("Größe", "csv")).toBe("Größe.csv");
    expect(fileName(" ?? ", "json")).toBe("workflow.json");
  });
});
