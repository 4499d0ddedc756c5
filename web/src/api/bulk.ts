// The same request for several things.

import { ApiError } from "./client";

/** Does something with each of several things, a few at a time, and says which it was done with. */
export async function runBulk(
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
): Promise<{ done: string[]; failed: ApiError[] }> {
  const done: string[] = [];
  const failed: ApiError[] = [];
  const left = [...ids];
  const worker = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await act(id);
        done.push(id);
      } catch (error) {
        failed.push(error instanceof ApiError ? error : new ApiError(0, "", String(error)));
      }
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return { done, failed };
}
