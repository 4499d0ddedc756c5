/** The frame of every parameter: its label, what it is for, whether it is fixed or computed, and what is wrong with it. */

import { CircleHelp, Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { cx, IconButton, Menu, type MenuItem, Tooltip } from "../ui";
import field from "./Field.module.css";
import css from "./FieldFrame.module.css";

interface FieldFrameProps {
  label: string;
  help?: string;
  required?: boolean;
  error?: string | null;
  /** `undefined` where a parameter cannot be an expression. */
  mode?: "fixed" | "expression";
  onMode?: (mode: "fixed" | "expression") => void;
  menu?: readonly MenuItem[];
  action?: ReactNode;
  /** The control stands beside the label instead of under it. */
  inline?: ReactNode;
  children?: ReactNode;
}

export function FieldFrame({
  label,
  help,
  required,
  error,
  mode,
  onMode,
  menu,
  action,
  inline,
  children,
}: FieldFrameProps) {
  return (
    <div className={css.frame}>
      <div className={css.head}>
        <span className={field.label}>
          {label}
          {required && (
            <span className={css.required} title="Required">
              *
            </span>
          )}
        </span>
        {help && (
          <Tooltip text={help} side="top">
            <button type="button" className={css.help} aria-label={`About ${label}: ${help}`}>
              <CircleHelp size={13} aria-hidden />
            </button>
          </Tooltip>
        )}
        <span className={css.space} />
        {((menu && menu.length > 0) || mode) && (
          <span className={cx(css.tools, mode !== "expression" && css.quiet)}>
            <span className={css.toolRow}>
              {menu && menu.length > 0 && (
                <Menu
                  trigger={
                    <IconButton icon={Ellipsis} label={`More options for ${label}`} size="small" />
                  }
                  items={menu}
                />
              )}
              {mode && onMode && <ModeToggle label={label} mode={mode} onMode={onMode} />}
            </span>
          </span>
        )}
        {action}
        {inline && <span className={css.inline}>{inline}</span>}
      </div>
      {children}
      {error && (
        <p className={field.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

interface ModeToggleProps {
  label: string;
  mode: "fixed" | "expression";
  onMode: (mode: "fixed" | "expression") => void;
}

export function ModeToggle({ label, mode, onMode }: ModeToggleProps) {
  const other = mode === "fixed" ? "expression" : "fixed";
  return (
    <span className={css.modes} role="group" aria-label={`${label} is`}>
      {(["fixed", "expression"] as const).map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === mode}
          // The one that is in force does nothing, so the way by keys leads past it.
          tabIndex={one === mode ? -1 : 0}
          onClick={() => one === other && onMode(one)}
        >
          {one === "fixed" ? "Fixed" : "Expression"}
        </button>
      ))}
    </span>
  );
}
