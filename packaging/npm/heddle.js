#!/usr/bin/env node
// Starts the program that is in this package, and ends as it does.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./heddle", import.meta.url));
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });

// A terminal signals both of us; other senders know only this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`heddle could not be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + constants.signals[signal] : code);
});
