// Buttons: with words, or with an icon alone that has its words in a tooltip.
import { LoaderCircle, type LucideIcon } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import css from "./Button.module.css";
import { cx } from "./cx";
import { Tooltip } from "./Tooltip";

type Kind = "primary" | "plain" | "quiet" | "danger";
type Size = "normal" | "small";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  icon?: LucideIcon;
  size?: Size;
  /** Work is under way: the button waits and shows it. */
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({
  kind = "plain",
  icon: Icon,
  size = "normal",
  busy,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  const Mark = busy ? LoaderCircle : Icon;
  return (
    <button
      type="button"
      className={cx(css.button, css[kind], size === "small" && css.small, className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {Mark && (
        <Mark
          size={size === "small" ? 14 : 15}
          className={busy ? css.turning : undefined}
          aria-hidden
        />
      )}
      {children}
    </button>
  );
}

interface LinkButtonProps {
  href: string;
  icon?: LucideIcon;
  kind?: Kind;
  size?: Size;
  children: ReactNode;
}

/** A link to another page, in a tab of its own, that looks like a button. */
export function LinkButton({
  href,
  icon: Icon,
  kind = "plain",
  size = "normal",
  children,
}: LinkButtonProps) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer noopener"
      className={cx(css.button, css[kind], size === "small" && css.small)}
    >
      {Icon && <Icon size={size === "small" ? 14 : 15} aria-hidden />}
      {children}
    </a>
  );
}

/** A link that leaves the editor in the same tab and looks like a button. */
export function ActionLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} className={cx(css.button, css.plain)}>
      {children}
    </a>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: LucideIcon;
  /** What it does, in words; also its accessible name. */
  label: string;
  kind?: Kind;
  size?: Size;
  active?: boolean;
  shortcut?: string;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({
  icon: Icon,
  label,
  kind = "quiet",
  size = "normal",
  active,
  shortcut,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={active}
        className={cx(
          css.button,
          css.icon,
          css[kind],
          size === "small" && css.small,
          active && css.active,
          className,
        )}
        {...rest}
      >
        <Icon size={size === "small" ? 14 : 16} aria-hidden />
      </button>
    </Tooltip>
  );
}
