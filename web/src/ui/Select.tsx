// A choice of one out of several; with many options there is a search above them.
import { Check, ChevronDown } from "lucide-react";
import { Popover as Radix } from "radix-ui";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { cx } from "./cx";
import { ErrorBoundary } from "./ErrorBoundary";
import css from "./Select.module.css";

export interface Option {
  value: string;
  label: string;
  hint?: string;
  group?: string;
}

interface SelectProps {
  value: string | undefined;
  onChange: (value: string) => void;
  options: readonly Option[];
  label: string;
  placeholder?: string;
  disabled?: boolean;
  dense?: boolean;
  className?: string;
}

/** With more options than this there is a search. */
const SEARCH_THRESHOLD = 12;

export function Select({
  value,
  onChange,
  options,
  label,
  placeholder = "Select…",
  disabled,
  dense,
  className,
}: SelectProps) {
  const [open, setOpen] = useState(false);
  const chosen = options.find((option) => option.value === value);
  const take = (next: string) => {
    setOpen(false);
    onChange(next);
  };
  return (
    <Radix.Root open={open} onOpenChange={setOpen}>
      <Radix.Trigger asChild disabled={disabled}>
        <button
          type="button"
          role="combobox"
          aria-expanded={open}
          aria-haspopup="listbox"
          aria-label={`${label}: ${chosen?.label ?? (value || placeholder)}`}
          className={cx(css.trigger, dense && css.dense, className)}
        >
          <span className={cx(css.value, !chosen && !value && css.none)}>
            {chosen?.label ?? (value || placeholder)}
          </span>
          <ChevronDown size={14} aria-hidden />
        </button>
      </Radix.Trigger>
      <ErrorBoundary what="This list" place="nowhere" resetKey={open}>
        <Radix.Portal>
          <Radix.Content className={css.list} align="start" sideOffset={4} collisionPadding={8}>
            <ErrorBoundary what="This list" place="float">
              <Options options={options} value={value} label={label} onTake={take} />
            </ErrorBoundary>
          </Radix.Content>
        </Radix.Portal>
      </ErrorBoundary>
    </Radix.Root>
  );
}

interface OptionsProps {
  options: readonly Option[];
  value: string | undefined;
  label: string;
  onTake: (value: string) => void;
}

function Options({ options, value, label, onTake }: OptionsProps) {
  const [search, setSearch] = useState("");
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const found = useMemo(() => {
    const words = search.toLowerCase().trim();
    return options.filter((option) =>
      `${option.label} ${option.hint ?? ""} ${option.value}`.toLowerCase().includes(words),
    );
  }, [options, search]);
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      options.findIndex((option) => option.value === value),
    ),
  );
  const current = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.querySelector("[data-current]")?.scrollIntoView({ block: "nearest" });
  });

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt(Math.max(0, Math.min(found.length - 1, current + step)));
    else if (event.key === "Home") setAt(0);
    else if (event.key === "End") setAt(found.length - 1);
    else if (event.key === "Enter" || (event.key === " " && options.length <= SEARCH_THRESHOLD)) {
      const option = found[current];
      if (option) onTake(option.value);
    } else return;
    event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys reach the list through whatever has the focus in it.
    <div onKeyDown={onKeyDown}>
      {options.length > SEARCH_THRESHOLD && (
        <input
          className={css.search}
          value={search}
          placeholder="Search"
          aria-label={`Search ${label}`}
          onChange={(event) => {
            setSearch(event.target.value);
            setAt(0);
          }}
        />
      )}
      <div
        ref={list}
        className={css.options}
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={`${id}-${current}`}
      >
        {found.map((option, index) => (
          <div key={option.value} role="presentation">
            {option.group && option.group !== found[index - 1]?.group && (
              <div className={css.group}>{option.group}</div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys. */}
            {/* biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the current option. */}
            <div
              id={`${id}-${index}`}
              role="option"
              aria-selected={option.value === value}
              data-current={index === current || undefined}
              className={css.option}
              onClick={() => onTake(option.value)}
              onPointerMove={() => setAt(index)}
            >
              <span>
                {option.label}
                {option.hint && <small>{option.hint}</small>}
              </span>
              {option.value === value && <Check size={14} aria-hidden />}
            </div>
          </div>
        ))}
        {found.length === 0 && <div className={css.group}>No matches for “{search}”</div>}
      </div>
    </div>
  );
}
