// Models that answer by a script: the mock that every test of Heddle uses, as a program of its own.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = process.env.MOCK_MODELS ?? join(ROOT, "target/debug/mock-models");

export async function startModels() {
  const child = spawn(PROGRAM, [], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    child.stdout.once("data", (piece) => resolve(String(piece).trim()));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`mock-models ended with ${code}`)));
  });
  return {
    url,
    /** What the models answer next, one after the other. */
    script: async (...replies) => {
      const body = JSON.stringify(replies);
      const answer = await fetch(`${url}/__script`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
    stop: () => child.kill("SIGKILL"),
  };
}
