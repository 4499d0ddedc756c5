/** Puts the editor on the page. */
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./theme/tokens.css";
import "./theme/base.css";
import { queryClient } from "./api/client";
import { startErrorReporting } from "./api/errorReporter";
import { onSignOut } from "./api/session";
import { App } from "./app/App";
import { deleteUserDrafts } from "./drafts/draftStorage";
import { ConfirmDialog, ErrorBoundary, Toasts, TooltipProvider } from "./ui";
import { shareStyleNonce } from "./ui/styleNonce";

export function start() {
  const root = document.getElementById("root");
  shareStyleNonce();
  if (!root) throw new Error("The page has no place for the editor");
  startErrorReporting();
  onSignOut({ afterSignOut: deleteUserDrafts });
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <ErrorBoundary what="The editor" place="page">
            <App />
          </ErrorBoundary>
          <ErrorBoundary what="The confirmation dialog" place="nowhere">
            <ConfirmDialog />
          </ErrorBoundary>
          <ErrorBoundary what="The notifications" place="nowhere">
            <Toasts />
          </ErrorBoundary>
        </TooltipProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
