// How the editor is built into static files, and how it is served while it is being worked on.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = process.env.HEDDLE_URL ?? "http://127.0.0.1:5678";
const passed = ["/api", "/webhook", "/webhook-test", "/form", "/form-test", "/healthz", "/v1"];

export default defineConfig({
  plugins: [react()],
  build: { target: "es2023", assetsInlineLimit: 0, reportCompressedSize: false, modulePreload: { polyfill: false } },
  server: { proxy: Object.fromEntries(passed.map((path) => [path, { target: server, changeOrigin: false }])) },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});
