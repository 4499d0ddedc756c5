// How the editor is built into static files, and how it is served while it is being worked on.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { preloadFirstFiles } from "./vitePreload";

const server = process.env.HEDDLE_URL ?? "http://127.0.0.1:5678";
const passed = [
  "/api",
  "/webhook",
  "/webhook-test",
  "/form",
  "/form-test",
  "/mcp",
  "/mcp-test",
  "/healthz",
  "/v1",
];

/**
 * Few files instead of many small ones, because a browser fetches only six at a time: what starts, what every page stands on, what
 * several pages share, and the canvas.
 */
const groups = [
  {
    name: "main",
    test: /\/src\/(main|api\/prefetch|app\/editorLoader|theme\/theme)\.ts$|preload-helper|rolldown\/runtime/,
    priority: 4,
  },
  { name: "start", test: /\/src\/start\.tsx$/, priority: 3, includeDependenciesRecursively: true },
  {
    name: "shared",
    test: /\/(lucide-react|zustand|@tanstack)\/|\/src\/(api|editor|graph|run|runner|store|ui)\/|\/workflows\/folderTree\.ts$/,
    priority: 2,
    minShareCount: 2,
  },
  {
    name: "canvas",
    test: /\/src\/editor\/EditorPage\.tsx$/,
    priority: 1,
    includeDependenciesRecursively: true,
  },
];

const TESTS = ["src/**/*.test.{ts,tsx}", "lint/**/*.test.ts"];
const ISOLATED = [
  "src/api/client.test.ts",
  "src/api/errorReporter.test.ts",
  "src/drafts/autosave.test.ts",
  "src/run/eventStream.test.ts",
];

export default defineConfig({
  // The server puts the nonce of each response in its place, so that only the scripts of the page itself run.
  html: { cspNonce: "HEDDLE_NONCE" },
  plugins: [react(), preloadFirstFiles("/src/start.tsx", /inter-latin-wght-normal/)],
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: { codeSplitting: { includeDependenciesRecursively: false, groups } },
    },
  },
  server: {
    proxy: Object.fromEntries(
      passed.map((path) => [path, { target: server, changeOrigin: false }]),
    ),
  },
  // No test is there to measure time: the limit only ends one that hangs, on a machine busy with a build as well.
  test: {
    environment: "node",
    // A module registry of its own for each file takes eight times as long: only those have one that would leave
    // something behind in the modules they test.
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: TESTS,
          exclude: ISOLATED,
          pool: "threads",
          isolate: false,
        },
      },
      { extends: true, test: { name: "isolated", include: ISOLATED } },
    ],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
