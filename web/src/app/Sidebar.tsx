// The sidebar: links to every page. Labels show when it is expanded.
import { ChevronsLeft, ChevronsRight, Moon, Sun } from "lucide-react";
import { useState, useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";
import { useIsAdmin } from "../api/session";
import { usePendingDecisionCount } from "../run/pendingDecisions";
import markUrl from "../theme/mark.svg";
import { getTheme, onThemeChange, setThemeChoice } from "../theme/theme";
import { count, cx, plural, Tooltip } from "../ui";
import { PAGES, type PageEntry, sidebarPath } from "./pages";
import css from "./Sidebar.module.css";

const WIDE_KEY = "heddle.rail";

export function Sidebar() {
  const [here] = useLocation();
  const [wide, setWide] = useState(() => localStorage.getItem(WIDE_KEY) === "wide");
  const nWaiting = usePendingDecisionCount();
  const isAdmin = useIsAdmin();
  const theme = useSyncExternalStore(onThemeChange, getTheme);
  const widen = () => {
    localStorage.setItem(WIDE_KEY, wide ? "narrow" : "wide");
    setWide(!wide);
  };
  const current = sidebarPath(here);
  const links = (part: PageEntry["sidebar"]) =>
    PAGES.filter((page) => page.sidebar === part && (isAdmin || !page.adminOnly)).map((page) => (
      <SidebarLink
        key={page.path}
        page={page}
        wide={wide}
        current={page.path === current}
        nWaiting={page.path === "agents" ? nWaiting : 0}
      />
    ));
  return (
    <nav className={cx(css.rail, wide && css.wide)} aria-label="Pages">
      <Link href="/workflows" className={css.mark} aria-label="Heddle">
        <img src={markUrl} width={26} height={26} alt="" />
        {wide && <span>Heddle</span>}
      </Link>
      {links("top")}
      <span className={css.gap} />
      <Tooltip text={theme === "dark" ? "Light theme" : "Dark theme"} side="right">
        <button
          type="button"
          className={css.entry}
          aria-label={theme === "dark" ? "Light theme" : "Dark theme"}
          onClick={() => setThemeChoice(theme === "dark" ? "light" : "dark")}
        >
          {theme === "dark" ? <Sun size={18} aria-hidden /> : <Moon size={18} aria-hidden />}
          {wide && <span>{theme === "dark" ? "Light theme" : "Dark theme"}</span>}
        </button>
      </Tooltip>
      {links("bottom")}
      <button
        type="button"
        className={css.entry}
        aria-label={wide ? "Collapse sidebar" : "Expand sidebar"}
        onClick={widen}
      >
        {wide ? <ChevronsLeft size={18} aria-hidden /> : <ChevronsRight size={18} aria-hidden />}
        {wide && <span>Collapse</span>}
      </button>
    </nav>
  );
}

interface SidebarLinkProps {
  page: PageEntry;
  wide: boolean;
  current: boolean;
  /** How many things there wait for a person. */
  nWaiting: number;
}

function SidebarLink({ page, wide, current, nWaiting }: SidebarLinkProps) {
  const { title, href, icon: Icon } = page;
  const words = nWaiting > 0 ? `${title}: ${plural(nWaiting, "decision")} pending` : title;
  const link = (
    <Link
      href={href}
      className={cx(css.entry, current && css.current)}
      aria-current={current ? "page" : undefined}
      aria-label={words}
    >
      {Icon && <Icon size={18} aria-hidden />}
      {wide && <span>{title}</span>}
      {nWaiting > 0 && <span className={css.count}>{count(nWaiting)}</span>}
    </Link>
  );
  return wide ? (
    link
  ) : (
    <Tooltip text={words} side="right">
      {link}
    </Tooltip>
  );
}
