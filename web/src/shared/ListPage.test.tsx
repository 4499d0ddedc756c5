/** What a page that lists things shows, state by state. */
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Router } from "wouter";
import { List, SearchListPage } from "./ListPage";
import { listRows } from "./listRows";

interface Fruit {
  id: string;
  kind: string;
}

const FRUITS: Fruit[] = [
  { id: "Plum", kind: "stone" },
  { id: "Apple", kind: "core" },
  { id: "Cherry", kind: "stone" },
];

const TABLE = {
  label: "Fruits",
  columns: [{ id: "id", label: "Name" }],
  rowKey: (row: Fruit) => row.id,
  render: (row: Fruit) => row.id,
  empty: "Nothing yet",
};

const loaded = (data: Fruit[]) => ({ data, error: null, refetch: () => {} });

/** The text of a page at an address, and whether it can be searched. */
function show(
  query: { data: Fruit[] | undefined; error: unknown; refetch: () => void },
  search = "",
): string {
  return renderToStaticMarkup(
    <Router ssrPath="/fruits" ssrSearch={search}>
      <SearchListPage
        {...TABLE}
        query={query}
        searchLabel="Search fruits"
        textOf={(row) => row.id}
        order={(one, other) => one.id.localeCompare(other.id)}
        noMatches="No fruits match."
      />
    </Router>,
  );
}

/** The cells of a table. */
const cells = (html: string) => [...html.matchAll(/<td>(\w+)<\/td>/g)].map(([, text]) => text);

describe("a page that lists things", () => {
  it("shows that rows are on their way, and nothing to search yet", () => {
    const html = show({ data: undefined, error: null, refetch: () => {} });
    expect(html).toContain('aria-label="Loading"');
    expect(html).not.toContain("Search fruits");
    expect(html).not.toContain("Nothing yet");
  });

  it("says why the rows did not arrive, and keeps those that are there", () => {
    const gone = show({
      data: undefined,
      error: new Error("The server is away"),
      refetch: () => {},
    });
    expect(gone).toContain("The server is away");
    expect(gone).toContain("Try again");
    expect(gone).not.toContain("Nothing yet");
    expect(
      cells(show({ data: FRUITS, error: new Error("The server is away"), refetch: () => {} })),
    ).toHaveLength(3);
  });

  it("offers no search where there is nothing", () => {
    const html = show(loaded([]));
    expect(html).toContain("Nothing yet");
    expect(html).not.toContain("Search fruits");
  });

  it("shows the rows in order, and those that are searched for", () => {
    expect(cells(show(loaded(FRUITS)))).toEqual(["Apple", "Cherry", "Plum"]);
    expect(cells(show(loaded(FRUITS), "q=PL"))).toEqual(["Apple", "Plum"]);
    expect(show(loaded(FRUITS), "q=pl")).toContain("Search fruits");
  });

  it("says that nothing fits where the search leaves nothing", () => {
    const html = show(loaded(FRUITS), "q=zzz");
    expect(html).toContain("No fruits match.");
    expect(html).toContain("Search fruits");
    expect(html).not.toContain("Nothing yet");
  });
});

describe("a long list", () => {
  it("shows its first rows and how many more there are", () => {
    const html = renderToStaticMarkup(<List {...TABLE} query={loaded(FRUITS)} limit={2} />);
    expect(cells(html)).toEqual(["Plum", "Apple"]);
    expect(html.replaceAll("<!-- -->", "")).toContain("Show more (2 of 3)");
  });
});

describe("the rows of a list", () => {
  it("are those that fit the search and the filter, and the list itself stays as it is", () => {
    const found = listRows(FRUITS, {
      typed: "",
      textOf: (row) => row.id,
      filter: (row) => row.kind === "stone",
    });
    expect(found.map((row) => row.id)).toEqual(["Plum", "Cherry"]);
    listRows(FRUITS, {
      typed: "",
      textOf: (row) => row.id,
      order: (one, other) => one.id.localeCompare(other.id),
    });
    expect(FRUITS[0]?.id).toBe("Plum");
  });
});
