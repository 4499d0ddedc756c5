/** The one list of pages, and what is read from it. */
import { describe, expect, it } from "vitest";
import { PAGE_LINKS, PAGES, sidebarPath } from "./pages";

describe("the list of pages", () => {
  it("has each path once, and every address of a page begins with its path", () => {
    expect(new Set(PAGES.map((page) => page.path)).size).toBe(PAGES.length);
    for (const page of PAGES) {
      expect(page.routes.length).toBeGreaterThan(0);
      for (const route of page.routes) expect(route.split("/")[1]).toBe(page.path);
    }
  });

  it("gives an icon to every page that stands in the sidebar or the command palette", () => {
    for (const page of PAGES.filter((one) => one.sidebar || one.palette))
      expect(page.icon, page.path).toBeDefined();
  });

  it("leads to addresses that a page is shown at", () => {
    for (const page of PAGES.filter((one) => one.sidebar || one.palette)) {
      expect(page.routes.some((route) => route.replace(/\/:\w+\?$/, "") === page.href)).toBe(true);
    }
  });

  it("names a page of the sidebar where a page stands under another", () => {
    const listed = PAGES.filter((page) => page.sidebar).map((page) => page.path);
    for (const page of PAGES.filter((one) => one.under)) expect(listed).toContain(page.under);
  });
});

describe("the current page of the sidebar", () => {
  it.each([
    ["/workflows", "workflows"],
    ["/workflow/7/executions/8", "workflows"],
    ["/compare", "executions"],
    ["/settings/keys", "settings"],
    ["/nowhere", undefined],
  ])("of %s is %s", (address, path) => expect(sidebarPath(address)).toBe(path));
});

describe("the links of the command palette", () => {
  it("hold the parts of a page after the page itself", () => {
    const links = PAGE_LINKS.map((link) => `${link.href} ${link.title}`);
    const at = links.indexOf("/settings Settings");
    expect(links.slice(at, at + 2)).toEqual([
      "/settings Settings",
      "/settings/people Settings: Users",
    ]);
    expect(PAGE_LINKS.filter((link) => link.adminOnly).map((link) => link.href)).toEqual([
      "/policy",
      "/settings/people",
    ]);
  });
});
