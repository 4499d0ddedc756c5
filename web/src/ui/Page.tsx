// The frame of a page: its title, what can be done on it, and what it shows; also when that is nothing yet.
import { type LucideIcon, SearchX } from "lucide-react";
import { createContext, type ReactNode, useContext, useEffect } from "react";
import { Button } from "./Button";
import { cx } from "./cx";
import css from "./Page.module.css";

/** What the page at this address is called; the router says it. */
export const PageTitle = createContext("");

/** Titles the document, and gives the title: the one given, or else that of the page. */
export function usePageTitle(given?: string): string {
  const named = useContext(PageTitle);
  const title = given ?? named;
  useEffect(() => {
    document.title = `${title} · Heddle`;
  }, [title]);
  return title;
}

interface PageProps {
  /** For a page of one thing, which is called like it. */
  title?: string;
  /** Said under the title. */
  text?: ReactNode;
  actions?: ReactNode;
  tabs?: ReactNode;
  children: ReactNode;
  wide?: boolean;
}

export function Page({ title: given, text, actions, tabs, children, wide }: PageProps) {
  const title = usePageTitle(given);
  return (
    <main className={css.page}>
      <div className={cx(css.inner, wide && css.wide)}>
        <header className={css.head}>
          <div className={css.titles}>
            <h1>{title}</h1>
            {text && <p>{text}</p>}
          </div>
          {actions && <div className={css.actions}>{actions}</div>}
        </header>
        {tabs && <div className={css.tabs}>{tabs}</div>}
        {children}
      </div>
    </main>
  );
}

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  text: ReactNode;
  action?: ReactNode;
}

/** What stands where there is nothing yet: what would be here, and how to get it. */
export function EmptyState({ icon: Icon, title, text, action }: EmptyStateProps) {
  return (
    <div className={css.empty}>
      <span className={css.emptyIcon}>
        <Icon size={22} aria-hidden />
      </span>
      <h2>{title}</h2>
      <p>{text}</p>
      {action && <div className={css.emptyAction}>{action}</div>}
    </div>
  );
}

/** What stands where a search or filters left nothing of what there is. */
export function NoMatches({ text, onClear }: { text: string; onClear: () => void }) {
  return (
    <EmptyState
      icon={SearchX}
      title="No matches"
      text={text}
      action={<Button onClick={onClear}>Clear filters</Button>}
    />
  );
}
