// Assertions that wait for the page, by the few things journeys ask of it.
import assert from "node:assert/strict";

const PATIENCE_MS = 30_000;

export function expect(locator) {
  return {
    toBeVisible: () => locator.first().waitFor({ state: "visible", timeout: PATIENCE_MS }),
    toBeGone: () => locator.first().waitFor({ state: "hidden", timeout: PATIENCE_MS }),
    toHaveText: (text) =>
      until(
        async () => (await locator.first().innerText()).includes(text),
        () => `no “${text}” in ${locator}`,
      ),
    toHaveCount: (count) =>
      until(
        async () => (await locator.count()) === count,
        async () => `${await locator.count()} of ${locator}, not ${count}`,
      ),
  };
}

/** Waits until something holds, and says what did not. */
export async function until(holds, words, patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  let last;
  while (Date.now() < end) {
    try {
      if (await holds()) return;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(
    `${typeof words === "function" ? await words() : words}${last ? `: ${last.message}` : ""}`,
  );
}
