// Which page is shown at which address, and what somebody sees who is not signed in.
import { type ReactNode, Suspense, useEffect } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { ApiError } from "../api/client";
import { needsSetup, useIsAdmin, useMe } from "../api/session";
import { CommandPalette } from "../palette/CommandPalette";
import { ErrorBoundary, ErrorState, Loading, PageTitle } from "../ui";
import css from "./App.module.css";
import { NotFound } from "./NotFound";
import { PAGE_LINKS, PAGES, type PageEntry } from "./pages";
import { Sidebar } from "./Sidebar";

const PUBLIC_PAGES = PAGES.filter((page) => page.public);
const OTHER_PAGES = PAGES.filter((page) => !page.public);

export function App() {
  const me = useMe();
  const signedIn = me.data ? (
    <SignedIn />
  ) : me.error ? (
    <SignedOut error={me.error} onRetry={() => me.refetch()} />
  ) : (
    <Loading />
  );
  return (
    <Suspense fallback={<Loading />}>
      <Routes pages={PUBLIC_PAGES} otherwise={signedIn} />
    </Suspense>
  );
}

/** Shows the page of the address, or what stands where none of these pages is. */
function Routes({ pages, otherwise }: { pages: readonly PageEntry[]; otherwise: ReactNode }) {
  // The key is the page, not the address: from one address of a page to another it stays as it is.
  const routes = pages.flatMap((page) =>
    page.routes.map((path) => (
      <Route key={page.path} path={path}>
        <PageTitle value={page.title}>
          <page.component />
        </PageTitle>
      </Route>
    )),
  );
  return (
    <Switch>
      {routes}
      <Route>{otherwise}</Route>
    </Switch>
  );
}

/** Nobody is signed in: to the set-up while there is no owner, to the sign-in otherwise. */
function SignedOut({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const [here, go] = useLocation();
  const isOut = error instanceof ApiError && error.status === 401;
  useEffect(() => {
    if (!isOut) return;
    const next = here === "/" ? "" : `?next=${encodeURIComponent(here + window.location.search)}`;
    needsSetup().then(
      (needed) =>
        go(needed ? `/setup${window.location.hash}` : `/signin${next}`, { replace: true }),
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
  const isAdmin = useIsAdmin();
  return (
    <div className={css.app}>
      <ErrorBoundary what="The sidebar" place="bar" resetKey={here}>
        <Sidebar />
      </ErrorBoundary>
      <div className={css.page}>
        <ErrorBoundary what="This page" place="page" resetKey={here}>
          <Suspense fallback={<Loading />}>
            <Routes
              pages={OTHER_PAGES.filter((page) => isAdmin || !page.adminOnly)}
              otherwise={here === "/" ? <Redirect to="/workflows" replace /> : <NotFound />}
            />
          </Suspense>
        </ErrorBoundary>
      </div>
      <ErrorBoundary what="The command palette" place="nowhere" resetKey={here}>
        <CommandPalette pages={PAGE_LINKS} />
      </ErrorBoundary>
    </div>
  );
}
