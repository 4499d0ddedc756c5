/** What happens when a form is sent. */
import { describe, expect, it } from "vitest";
import { type FormWork, sendForm } from "./useSubmit";

/** Sends a form and tells what happened, in order. */
async function send(work: FormWork): Promise<string[]> {
  const log: string[] = [];
  const run = async (task: () => Promise<unknown>) => {
    try {
      await task();
      return true;
    } catch (error) {
      log.push(`failed: ${(error as Error).message}`);
      return false;
    }
  };
  await sendForm({ onDone: () => log.push("done"), ...work }, run, (is) =>
    log.push(is ? "submitted" : "fresh"),
  );
  return log;
}

describe("a form that is sent", () => {
  it("does its work, shows no problems any more, and is done", async () => {
    expect(await send({ onSubmit: async () => "made" })).toEqual(["submitted", "fresh", "done"]);
    expect(await send({ onSubmit: () => undefined })).toEqual(["submitted", "fresh", "done"]);
  });

  it("only shows its problems while a field is invalid", async () => {
    const onSubmit = () => {
      throw new Error("not asked for");
    };
    expect(await send({ invalid: true, onSubmit })).toEqual(["submitted"]);
  });

  it("stays open with the error when the work fails", async () => {
    expect(await send({ onSubmit: () => Promise.reject(new Error("taken")) })).toEqual([
      "submitted",
      "failed: taken",
    ]);
  });

  it("stays open when the work says that it is not over", async () => {
    expect(await send({ onSubmit: async () => false })).toEqual(["submitted", "fresh"]);
  });
});
