/** Puts the editor on the page. */
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./theme/tokens.css";
import "./theme/base.css";
import { queryClient } from "./api/client";
import { startReporting } from "./api/report";
import { onSignOut } from "./api/session";
import { App } from "./app/App";
import { dropDraftsOf } from "./drafts/storage";
import { Boundary, Questions, Toasts, TooltipProvider } from "./ui";
import { shareStyleNonce } from "./ui/nonce";

export function start() {
  const root = document.getElementById("root");
  shareStyleNonce();
  if (!root) throw new Error("The page has no place for the editor");
  startReporting();
  onSignOut({ left: dropDraftsOf });
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <Boundary what="The editor" place="page">
            <App />
          </Boundary>
          <Boundary what="The question" place="nowhere">
            <Questions />
          </Boundary>
          <Boundary what="The messages" place="nowhere">
            <Toasts />
          </Boundary>
        </TooltipProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
