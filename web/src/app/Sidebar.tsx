// The sidebar: links to every page. Labels show when it is expanded.
import {
  Bot,
  ChartNoAxesColumn,
  ChevronsLeft,
  ChevronsRight,
  KeyRound,
  LayoutTemplate,
  LibraryBig,
  ListChecks,
  type LucideIcon,
  Moon,
  Settings,
  Sheet,
  Sun,
  Variable,
  Workflow,
} from "lucide-react";
import { useState, useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";
import { usePendingDecisionCount } from "../run/pendingDecisions";
import { getTheme, onThemeChange, setThemeChoice } from "../theme/theme";
import { count, cx, plural, Tooltip } from "../ui";
import markUrl from "./mark.svg";
import css from "./Sidebar.module.css";

interface NavItem {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Other addresses at which this place is the current one. */
  also?: string;
}

const NAV_ITEMS: readonly NavItem[] = [
  { to: "/workflows", label: "Workflows", icon: Workflow, also: "/workflow/" },
  { to: "/templates", label: "Templates", icon: LayoutTemplate },
  { to: "/executions", label: "Executions", icon: ListChecks, also: "/compare" },
  { to: "/agents", label: "Agents", icon: Bot },
  { to: "/knowledge", label: "Knowledge", icon: LibraryBig },
  { to: "/credentials", label: "Credentials", icon: KeyRound },
  { to: "/tables", label: "Data tables", icon: Sheet },
  { to: "/variables", label: "Variables", icon: Variable },
  { to: "/insights", label: "Insights", icon: ChartNoAxesColumn },
];

const WIDE_KEY = "heddle.rail";

export function Sidebar() {
  const [here] = useLocation();
  const [wide, setWide] = useState(() => localStorage.getItem(WIDE_KEY) === "wide");
  const nWaiting = usePendingDecisionCount();
  const theme = useSyncExternalStore(onThemeChange, getTheme);
  const widen = () => {
    localStorage.setItem(WIDE_KEY, wide ? "narrow" : "wide");
    setWide(!wide);
  };
  const isHere = ({ to, also }: NavItem) => here.startsWith(to) || (also !== undefined && here.startsWith(also));
  return (
    <nav className={cx(css.rail, wide && css.wide)} aria-label="Pages">
      <Link href="/workflows" className={css.mark} aria-label="Heddle">
        <img src={markUrl} width={26} height={26} alt="" />
        {wide && <span>Heddle</span>}
      </Link>
      {NAV_ITEMS.map((place) => (
        <SidebarLink
          key={place.to}
          {...place}
          wide={wide}
          current={isHere(place)}
          nWaiting={place.to === "/agents" ? nWaiting : 0}
        />
      ))}
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
      <SidebarLink to="/settings" label="Settings" icon={Settings} wide={wide} current={here.startsWith("/settings")} />
      <button type="button" className={css.entry} aria-label={wide ? "Collapse sidebar" : "Expand sidebar"} onClick={widen}>
        {wide ? <ChevronsLeft size={18} aria-hidden /> : <ChevronsRight size={18} aria-hidden />}
        {wide && <span>Collapse</span>}
      </button>
    </nav>
  );
}

interface SidebarLinkProps extends NavItem {
  wide: boolean;
  current: boolean;
  /** How many things there wait for a person. */
  nWaiting?: number;
}

function SidebarLink({ to, label, icon: Icon, wide, current, nWaiting = 0 }: SidebarLinkProps) {
  const words = nWaiting > 0 ? `${label}: ${plural(nWaiting, "decision")} pending` : label;
  const link = (
    <Link
      href={to}
      className={cx(css.entry, current && css.current)}
      aria-current={current ? "page" : undefined}
      aria-label={words}
    >
      <Icon size={18} aria-hidden />
      {wide && <span>{label}</span>}
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
