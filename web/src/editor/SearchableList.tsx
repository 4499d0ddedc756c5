/** A panel over the canvas with a list that is searched as one types and walked through by arrow keys: nodes to add, nodes to connect. */
import { Search, X } from "lucide-react";
import {
  type FocusEvent,
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from "react";
import { cx, IconButton } from "../ui";
import css from "./SearchableList.module.css";

export { css as listStyles };

interface SearchableListProps {
  /** What the panel is for those who cannot see it. */
  label: string;
  title: string;
  /** What is searched, inside the empty field and as its name. */
  placeholder: string;
  searchLabel: string;
  query: string;
  onQuery: (query: string) => void;
  /** How many lines can be chosen. */
  count: number;
  /** Enter, with the number of the chosen line; it is -1 while there is none. */
  onTake: (index: number) => void;
  onLeave: () => void;
  /** The focus has gone elsewhere, by Tab or by a click. */
  onFocusOut?: () => void;
  foot: ReactNode;
  /** The lines, given which of them is chosen and how to choose another. */
  children: (chosen: number, choose: (index: number) => void) => ReactNode;
}

const KEY_STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

export function SearchableList(props: SearchableListProps) {
  const {
    label,
    title,
    placeholder,
    searchLabel,
    query,
    onQuery,
    count,
    onTake,
    onLeave,
    onFocusOut,
    foot,
    children,
  } = props;
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const chosen = Math.min(at, count - 1);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${chosen}"]`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    // Without a new place the focus comes back, as after a look into another window.
    if (relatedTarget && !currentTarget.contains(relatedTarget)) onFocusOut?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // A key in the foot is for what has the focus there.
    if ((event.target as HTMLElement).closest("footer") && event.key !== "Escape") return;
    const step = KEY_STEPS[event.key];
    if (step) setAt(Math.max(0, Math.min(count - 1, chosen + step)));
    else if (event.key === "Enter") onTake(chosen);
    else if (event.key === "Escape") {
      event.stopPropagation();
      onLeave();
    } else return;
    event.preventDefault();
  };
  return (
    <aside className={css.panel} aria-label={label} onKeyDown={onKeyDown} onBlur={onBlur}>
      <header className={css.head}>
        <h2>{title}</h2>
        <IconButton icon={X} label="Close" size="small" onClick={onLeave} />
      </header>
      <div className={css.search}>
        <Search size={15} aria-hidden />
        <input
          value={query}
          placeholder={placeholder}
          role="combobox"
          aria-label={searchLabel}
          aria-expanded="true"
          aria-controls="searched-list"
          aria-activedescendant={count > 0 ? itemId(chosen) : undefined}
          autoFocus
          spellCheck={false}
          onChange={(event) => {
            onQuery(event.target.value);
            setAt(0);
          }}
        />
      </div>
      <div
        id="searched-list"
        ref={list}
        className={css.list}
        role="listbox"
        aria-label={title}
        tabIndex={-1}
      >
        {children(chosen, setAt)}
      </div>
      <footer className={css.foot}>{foot}</footer>
    </aside>
  );
}

function itemId(index: number): string {
  return `searched-${index}`;
}

/** Lines that belong together, under a heading. */
export function ListGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div role="group" aria-label={title}>
      <div className={css.title} aria-hidden>
        {title}
      </div>
      {children}
    </div>
  );
}

interface ListItemProps extends HTMLAttributes<HTMLDivElement> {
  index: number;
  isChosen: boolean;
  onPoint: () => void;
  onTake: () => void;
}

/** A line that can be chosen: by the pointer, or by the arrow keys of the list. */
export function ListItem({ index, isChosen, onPoint, onTake, children, ...rest }: ListItemProps) {
  return (
    <div
      id={itemId(index)}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      data-index={index}
      className={cx(css.row, isChosen && css.chosen)}
      onPointerMove={onPoint}
      onClick={onTake}
      onKeyDown={(event) => event.key === "Enter" && onTake()}
      {...rest}
    >
      {children}
    </div>
  );
}
