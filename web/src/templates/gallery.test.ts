/** Whether every template can be opened and wired as it says, and how the gallery is searched. */
import { describe, expect, it } from "vitest";
import { CATEGORIES, createDocument, filterTemplates, TEMPLATES } from "./gallery";

describe("templates", () => {
  it("are at least fifteen, and several of them need nothing", () => {
    expect(TEMPLATES.length).toBeGreaterThanOrEqual(15);
    expect(
      TEMPLATES.filter((template) => template.needs.length === 0).length,
    ).toBeGreaterThanOrEqual(6);
  });

  it("have a category that the gallery shows, and words about them", () => {
    for (const template of TEMPLATES) {
      expect(CATEGORIES, template.id).toContain(template.category);
      expect(template.description.length, template.id).toBeGreaterThan(40);
      expect(template.tags.length, template.id).toBeGreaterThan(0);
    }
  });

  it("name each node once and connect only nodes that are there", () => {
    for (const { id, workflow } of TEMPLATES) {
      const names = workflow.nodes.map((node) => node.name);
      expect(new Set(names).size, id).toBe(names.length);
      for (const [from, kinds] of Object.entries(workflow.connections)) {
        expect(names, id).toContain(from);
        for (const target of Object.values(kinds).flat(2))
          expect(names, id).toContain(target?.node);
      }
    }
  });

  it("name in expressions only nodes that are there", () => {
    for (const { id, workflow } of TEMPLATES) {
      const names = workflow.nodes.map((node) => node.name);
      const said = JSON.stringify(workflow.nodes);
      for (const [, name] of said.matchAll(/\$\('([^']+)'\)/g)) expect(names, id).toContain(name);
    }
  });

  it("become documents without ids of their own", () => {
    const [first] = TEMPLATES;
    if (!first) throw new Error("There are no templates");
    expect(createDocument(first)).not.toHaveProperty("id");
    expect(createDocument(first).meta).toEqual({ templateId: first.id });
  });
});

describe("the gallery's search", () => {
  it("finds templates that have every word somewhere", () => {
    const found = filterTemplates(TEMPLATES, {
      text: "AGENT memory",
      category: null,
      onlyReady: false,
    });
    expect(found.map((template) => template.id)).toContain("chat-agent");
    expect(
      filterTemplates(TEMPLATES, { text: "agent zebra", category: null, onlyReady: false }),
    ).toEqual([]);
  });

  it("can leave out everything that needs a key or a service", () => {
    const found = filterTemplates(TEMPLATES, { text: "", category: null, onlyReady: true });
    expect(found.every((template) => template.needs.length === 0)).toBe(true);
  });

  it("keeps to a category", () => {
    const found = filterTemplates(TEMPLATES, { text: "", category: "Knowledge", onlyReady: false });
    expect(found.map((template) => template.category)).toEqual(found.map(() => "Knowledge"));
  });
});
