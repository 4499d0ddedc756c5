/** Ctrl K: everything that can be gone to or done, found by typing; and `?`, which shows all keys. */
import { CornerDownLeft, Search } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import {
  type KeyboardEvent,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { cx, ErrorBoundary, Kbd } from "../ui";
import type { Action } from "./actionRegistry";
import { searchActions } from "./actionSearch";
import styles from "./CommandPalette.module.css";
import { isHelpKey, isPaletteKey, isTextInput } from "./hotkeys";
import { ShortcutsDialog } from "./ShortcutsDialog";
import { type PageLink, useGlobalActions } from "./useGlobalActions";

export function CommandPalette({ pages }: { pages: readonly PageLink[] }) {
  const [open, setOpen] = useState(false);
  const [help, setHelp] = useState(false);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (isPaletteKey(event)) {
        event.preventDefault();
        setOpen((before) => !before);
      } else if (isHelpKey(event, isTextInput(document.activeElement))) {
        event.preventDefault();
        setHelp(true);
      }
    };
    // Before the canvas and the fields, which have keys of their own.
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, []);
  const showKeys = useCallback(() => setHelp(true), []);
  return (
    <>
      <Radix.Root open={open} onOpenChange={setOpen}>
        <ErrorBoundary what="The command palette" place="nowhere" resetKey={open}>
          <Radix.Portal>
            <Radix.Overlay className={styles.shade} />
            <Radix.Content className={styles.palette} aria-describedby={undefined}>
              <Radix.Title className="visually-hidden">Command palette</Radix.Title>
              <ErrorBoundary what="The command palette" place="float">
                <ActionList pages={pages} onClose={() => setOpen(false)} onKeys={showKeys} />
              </ErrorBoundary>
            </Radix.Content>
          </Radix.Portal>
        </ErrorBoundary>
      </Radix.Root>
      <ShortcutsDialog open={help} onClose={() => setHelp(false)} />
    </>
  );
}

interface ActionListProps {
  pages: readonly PageLink[];
  onClose: () => void;
  onKeys: () => void;
}

function ActionList({ pages, onClose, onKeys }: ActionListProps) {
  const actions = useGlobalActions(pages, onKeys);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const found = useMemo(() => searchActions(actions, typed), [actions, typed]);
  const current = Math.min(at, found.length - 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current entry is brought into view whenever it is another one.
  useEffect(() => {
    list.current?.querySelector("[data-current]")?.scrollIntoView({ block: "nearest" });
  }, [current, found]);

  const take = (action: Action) => {
    onClose();
    // After the palette has given the focus back, so that what opens next gets it.
    setTimeout(action.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    const action = found[current];
    if (step) setAt(Math.max(0, Math.min(found.length - 1, current + step)));
    else if (event.key === "Enter" && action) take(action);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div className={styles.search}>
        <Search size={16} aria-hidden />
        <input
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          placeholder="Search pages, workflows and commands"
          aria-label="Search commands"
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <div ref={list} id={id} className={styles.list} role="listbox" aria-label="Commands">
        {found.map((action, index) => (
          <div key={action.id} role="presentation">
            {typed.trim() === "" && action.group !== found[index - 1]?.group && (
              <div className={styles.group}>{action.group}</div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys. */}
            {/* biome-ignore lint/a11y/useFocusableInteractive: the field above keeps the focus and names the current entry. */}
            <div
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === current}
              data-current={index === current || undefined}
              className={styles.entry}
              onClick={() => take(action)}
              onPointerMove={() => setAt(index)}
            >
              {action.icon ? (
                <action.icon size={15} aria-hidden />
              ) : (
                <span className={styles.noIcon} />
              )}
              <span className={styles.label}>{action.label}</span>
              {typed.trim() !== "" && <span className={styles.where}>{action.group}</span>}
              {action.shortcut && <Kbd keys={action.shortcut} />}
              {index === current && (
                <CornerDownLeft size={13} className={styles.enter} aria-hidden />
              )}
            </div>
          </div>
        ))}
        {found.length === 0 && (
          <p className={cx(styles.group, styles.none)}>No results for “{typed.trim()}”.</p>
        )}
      </div>
    </>
  );
}
