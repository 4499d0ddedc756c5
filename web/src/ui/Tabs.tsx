// A row of tabs; what they show is up to whoever has them.
import type { LucideIcon } from "lucide-react";
import { type KeyboardEvent, useRef } from "react";
import { cx } from "./cx";
import css from "./Tabs.module.css";

export interface Tab {
  id: string;
  label: string;
  count?: number;
  icon?: LucideIcon;
}

interface TabsProps {
  value: string;
  onChange: (id: string) => void;
  /** A tab was clicked, or Enter pressed on it, instead of only being passed with the arrow keys. */
  onEnter?: (id: string) => void;
  tabs: readonly Tab[];
  label: string;
  className?: string;
}

export function Tabs({ value, onChange, onEnter, tabs, label, className }: TabsProps) {
  const row = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const at = tabs.findIndex((tab) => tab.id === value);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    onChange(next.id);
    row.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  return (
    <div
      ref={row}
      role="tablist"
      aria-label={label}
      className={cx(css.tabs, className)}
      onKeyDown={onKeyDown}
    >
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          data-tab={tab.id}
          aria-selected={tab.id === value}
          tabIndex={tab.id === value ? 0 : -1}
          className={css.tab}
          onClick={() => {
            onChange(tab.id);
            onEnter?.(tab.id);
          }}
        >
          {tab.icon && <tab.icon size={14} aria-hidden />}
          {tab.label}
          {tab.count !== undefined && <span className={css.count}>{tab.count}</span>}
        </button>
      ))}
    </div>
  );
}
