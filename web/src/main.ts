/**
 * Where the editor starts. It is small and knows nobody, so that what the first page needs is asked for while the code that will show it
 * is still on its way.
 */
import { askEarly } from "./api/early";
import { loadCanvas } from "./app/canvas";
import { startTheme } from "./theme/theme";

const PATIENCE_MS = 300;

startTheme();
askEarly("/api/me");
const { pathname } = window.location;
const [, workflow] = pathname.match(/^\/workflow\/([\w-]+)$/) ?? [];
if (workflow) {
  askEarly("/api/v1/node-types");
  if (workflow !== "new") askEarly(`/api/v1/workflows/${workflow}`);
}
const canvas = pathname.startsWith("/workflow/") ? loadCanvas().then((page) => workflow && soon(page.openEarly(workflow))) : null;
void Promise.all([import("./start"), canvas?.catch(() => null)]).then(([{ start }]) => start());

/** An answer that takes longer is not waited for: the page then says that it is loading. */
function soon(answer: Promise<unknown>): Promise<unknown> {
  return Promise.race([answer, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}
