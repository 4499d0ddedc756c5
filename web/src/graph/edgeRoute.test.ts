import { expect, test } from "vitest";
import { flowRoute, leadsBack, subNodeRoute } from "./edgeRoute";

test("two ports at one height are joined by a straight line", () => {
  expect(flowRoute({ x: 0, y: 10 }, { x: 100, y: 10 }).path).toBe("M0 10L100 10");
});

test("a line to the right turns twice and ends where it should", () => {
  const { path, label } = flowRoute({ x: 0, y: 0 }, { x: 200, y: 100 });
  expect(path.startsWith("M0 0L")).toBe(true);
  expect(path.endsWith("L200 100")).toBe(true);
  expect(path.match(/Q/g)).toHaveLength(2);
  expect(label).toEqual({ x: 100, y: 50 });
});

test("a line that leads back runs below the nodes", () => {
  const { path, label } = flowRoute({ x: 400, y: 32 }, { x: 0, y: 32 }, 64);
  expect(path.match(/Q/g)).toHaveLength(4);
  expect(label.y).toBeGreaterThan(64);
});

test("between nodes that stand close together a line goes straight over, and does not lead around them", () => {
  expect(leadsBack({ x: 96, y: 48 }, { x: 110, y: 48 })).toBe(false);
  expect(leadsBack({ x: 96, y: 48 }, { x: 80, y: 300 })).toBe(false);
  expect(leadsBack({ x: 96, y: 48 }, { x: 60, y: 48 })).toBe(true);
  expect(flowRoute({ x: 96, y: 48 }, { x: 110, y: 48 }).path).toBe("M96 48L110 48");
  expect(flowRoute({ x: 96, y: 48 }, { x: 110, y: 200 }).path).toMatch(/^M96 48C.*110 200$/);
});

test("a supply rises from its sub-node to the diamond above", () => {
  expect(subNodeRoute({ x: 50, y: 200 }, { x: 50, y: 64 }).path).toBe("M50 200L50 64");
  expect(subNodeRoute({ x: 50, y: 200 }, { x: 150, y: 64 }).path.endsWith(" 150 64")).toBe(true);
});

test("the number of calls stands clear of the plus below a diamond, as far down as Arrange puts sub-nodes", () => {
  for (const x of [50, 60, 300]) {
    const { label } = subNodeRoute({ x, y: 176 }, { x: 50, y: 64 });
    expect(label.y - 9).toBeGreaterThan(64 + 52);
  }
});

test("no path holds a number that is none", () => {
  for (const from of [
    { x: 0, y: 0 },
    { x: 5, y: 5 },
  ]) {
    for (const to of [
      { x: 0, y: 0 },
      { x: 5, y: 5 },
      { x: -5, y: 300 },
    ]) {
      expect(flowRoute(from, to).path + subNodeRoute(from, to).path).not.toContain("NaN");
    }
  }
});
