// Which page is shown at which address, and what somebody sees who is not signed in.
import { lazy, Suspense, useEffect, useState } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { ApiError } from "../api/client";
import { needsSetup, useMe } from "../api/session";
import { CommandPalette } from "../palette/CommandPalette";
import { ErrorBoundary, ErrorState, Loading } from "../ui";
import css from "./App.module.css";
import { getEditorPage, loadEditorPage } from "./editorLoader";
import { NotFound } from "./NotFound";
import { Sidebar } from "./Sidebar";

const Agents = lazy(() => import("../pages/agents/AgentsPage"));
const Compare = lazy(() => import("../pages/executions/ComparePage"));
const Credentials = lazy(() => import("../pages/credentials/CredentialsPage"));
const LazyEditor = lazy(loadEditorPage);
const Executions = lazy(() => import("../pages/executions/ExecutionsPage"));
const Insights = lazy(() => import("../pages/insights/InsightsPage"));
const Knowledge = lazy(() => import("../pages/knowledge/KnowledgePage"));
const Settings = lazy(() => import("../pages/settings/SettingsPage"));
const SetUp = lazy(() => import("../pages/setup/SetupPage"));
const SignIn = lazy(() => import("../pages/setup/SignInPage"));
const Tables = lazy(() => import("../pages/tables/TablesPage"));
const Templates = lazy(() => import("../pages/templates/TemplatesPage"));
const Variables = lazy(() => import("../pages/variables/VariablesPage"));
const Workflows = lazy(() => import("../pages/workflows/WorkflowsPage"));

export function App() {
  const me = useMe();
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/setup" component={SetUp} />
        <Route path="/signin" component={SignIn} />
        <Route>
          {me.data ? <SignedIn /> : me.error ? <SignedOut error={me.error} onRetry={() => me.refetch()} /> : <Loading />}
        </Route>
      </Switch>
    </Suspense>
  );
}

/** The page of a canvas. Where its code is there it is drawn at once: what comes later is held back by React for a while. */
function Editor() {
  const [Page] = useState(() => getEditorPage() ?? LazyEditor);
  return <Page />;
}

/** Nobody is signed in: to the set-up while there is no owner, to the sign-in otherwise. */
function SignedOut({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const [here, go] = useLocation();
  const isOut = error instanceof ApiError && error.status === 401;
  useEffect(() => {
    if (!isOut) return;
    const next = here === "/" ? "" : `?next=${encodeURIComponent(here + window.location.search)}`;
    needsSetup().then(
      (needed) => go(needed ? `/setup${window.location.hash}` : `/signin${next}`, { replace: true }),
      () => go("/signin", { replace: true }),
    );
  }, [isOut, here, go]);
  if (isOut) return <Loading />;
  return (
    <div className={css.alone}>
      <ErrorState error={error} onRetry={onRetry} />
    </div>
  );
}

function SignedIn() {
  const [here] = useLocation();
  return (
    <div className={css.app}>
      <ErrorBoundary what="The sidebar" place="bar" resetKey={here}>
        <Sidebar />
      </ErrorBoundary>
      <div className={css.page}>
        <ErrorBoundary what="This page" place="page" resetKey={here}>
          <Suspense fallback={<Loading />}>
            <Switch>
              <Route path="/">
                <Redirect to="/workflows" replace />
              </Route>
              <Route path="/workflows" component={Workflows} />
              <Route path="/workflow/:id/executions/:execution" component={Editor} />
              <Route path="/workflow/:id" component={Editor} />
              <Route path="/executions" component={Executions} />
              <Route path="/compare" component={Compare} />
              <Route path="/templates" component={Templates} />
              <Route path="/agents" component={Agents} />
              <Route path="/knowledge/:id?" component={Knowledge} />
              <Route path="/credentials" component={Credentials} />
              <Route path="/tables/:id?" component={Tables} />
              <Route path="/variables" component={Variables} />
              <Route path="/insights" component={Insights} />
              <Route path="/settings/:part?" component={Settings} />
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </div>
      <ErrorBoundary what="The command palette" place="nowhere" resetKey={here}>
        <CommandPalette />
      </ErrorBoundary>
    </div>
  );
}
