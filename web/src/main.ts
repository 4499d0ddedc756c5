/**
 * Where the editor starts. It is small and knows nobody, so that what the first page needs is asked for while the code that will show it
 * is still on its way.
 */
import { prefetch } from "./api/prefetch";
import { loadEditorPage } from "./app/editorLoader";
import { initTheme } from "./theme/theme";

const OPEN_TIMEOUT_MS = 300;

initTheme();
prefetch("/api/me");
const { pathname } = window.location;
const [, workflow] = pathname.match(/^\/workflow\/([\w-]+)$/) ?? [];
if (workflow) {
  prefetch("/api/v1/node-types");
  if (workflow !== "new") prefetch(`/api/v1/workflows/${workflow}`);
}
const canvas = pathname.startsWith("/workflow/")
  ? loadEditorPage().then((page) => workflow && withTimeout(page.preopenWorkflow(workflow)))
  : null;
void Promise.all([import("./start"), canvas?.catch(() => null)]).then(([{ start }]) => start());

/** An answer that takes longer is not waited for: the page then says that it is loading. */
function withTimeout(answer: Promise<unknown>): Promise<unknown> {
  return Promise.race([answer, new Promise((resolve) => setTimeout(resolve, OPEN_TIMEOUT_MS))]);
}
