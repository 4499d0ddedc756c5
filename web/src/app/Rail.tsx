// The rail at the left edge: every page is one click away; labels show when it is widened.
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
import { useUndecided } from "../run/undecided";
import { chooseTheme, onTheme, shownTheme } from "../theme/theme";
import { count, cx, plural, Tooltip } from "../ui";
import markUrl from "./mark.svg";
import css from "./Rail.module.css";

interface Place {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Other addresses at which this place is the current one. */
  also?: string;
}

const PLACES: readonly Place[] = [
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

const WIDE = "heddle.rail";

export function Rail() {
  const [here] = useLocation();
  const [wide, setWide] = useState(() => localStorage.getItem(WIDE) === "wide");
  const nWaiting = useUndecided();
  const theme = useSyncExternalStore(onTheme, shownTheme);
  const widen = () => {
    localStorage.setItem(WIDE, wide ? "narrow" : "wide");
    setWide(!wide);
  };
  const isHere = ({ to, also }: Place) => here.startsWith(to) || (also !== undefined && here.startsWith(also));
  return (
    <nav className={cx(css.rail, wide && css.wide)} aria-label="Pages">
      <Link href="/workflows" className={css.mark} aria-label="Heddle">
        <img src={markUrl} width={26} height={26} alt="" />
        {wide && <span>Heddle</span>}
      </Link>
      {PLACES.map((place) => (
        <Entry key={place.to} {...place} wide={wide} current={isHere(place)} nWaiting={place.to === "/agents" ? nWaiting : 0} />
      ))}
      <span className={css.gap} />
      <Tooltip text={theme === "dark" ? "Light theme" : "Dark theme"} side="right">
        <button
          type="button"
          className={css.entry}
          aria-label={theme === "dark" ? "Light theme" : "Dark theme"}
          onClick={() => chooseTheme(theme === "dark" ? "light" : "dark")}
        >
          {theme === "dark" ? <Sun size={18} aria-hidden /> : <Moon size={18} aria-hidden />}
          {wide && <span>{theme === "dark" ? "Light theme" : "Dark theme"}</span>}
        </button>
      </Tooltip>
      <Entry to="/settings" label="Settings" icon={Settings} wide={wide} current={here.startsWith("/settings")} />
      <button type="button" className={css.entry} aria-label={wide ? "Make the rail narrow" : "Show labels"} onClick={widen}>
        {wide ? <ChevronsLeft size={18} aria-hidden /> : <ChevronsRight size={18} aria-hidden />}
        {wide && <span>Narrow</span>}
      </button>
    </nav>
  );
}

interface EntryProps extends Place {
  wide: boolean;
  current: boolean;
  /** How many things there wait for a person. */
  nWaiting?: number;
}

function Entry({ to, label, icon: Icon, wide, current, nWaiting = 0 }: EntryProps) {
  const words = nWaiting > 0 ? `${label}: ${plural(nWaiting, "thing")} to decide` : label;
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
