import { expect, test } from "vitest";
import { fileUrl, isImage, isText, listFiles } from "./binaryFiles";

const items = [
  { json: {} },
  {
    json: {},
    binary: { data: { fileName: "a.png", mimeType: "image/png", fileSize: 12, url: "/api/v1/x" } },
  },
];

test("files are listed with the number of their item", () => {
  expect(listFiles(items, 50)).toEqual([
    {
      item: 52,
      name: "data",
      fileName: "a.png",
      mimeType: "image/png",
      size: 12,
      url: "/api/v1/x",
    },
  ]);
});

test("only harmless types are shown in the page", () => {
  const file = (mimeType: string) => ({ item: 1, name: "f", fileName: "f", mimeType, size: null });
  expect([
    isImage(file("image/png")),
    isImage(file("image/svg+xml")),
    isText(file("text/csv")),
    isText(file("text/html")),
  ]).toEqual([true, false, true, false]);
});

test("content in the item itself can be had too, and no script by its address", () => {
  const file = { item: 1, name: "f", fileName: "f", mimeType: "text/html", size: null };
  expect(fileUrl({ ...file, data: "YQ==" })).toBe("data:application/octet-stream;base64,YQ==");
  expect(fileUrl({ ...file, url: "javascript:alert(1)" })).toBeUndefined();
});

test("issue_14_00_pinned_data_names_no_address_but_those_of_executions", () => {
  const file = { item: 1, name: "f", fileName: "f", mimeType: "image/png", size: null };
  const kept = "/api/v1/executions/7/binary/ab12?name=f";
  expect(fileUrl({ ...file, url: kept })).toBe(kept);
  expect(fileUrl({ ...file, url: "data:image/png;base64,YQ==" })).toBe(
    "data:image/png;base64,YQ==",
  );
  for (const url of [
    "//evil.example/x",
    "https://evil.example/x",
    "/webhook/evil",
    "/api/v1/workflows",
    "/api/v1/executions/../../../webhook/evil",
    "/api/v1/executions/..\\..\\x",
    "/api/v1/executions/%2e%2e/x",
  ])
    expect(fileUrl({ ...file, url })).toBeUndefined();
});
