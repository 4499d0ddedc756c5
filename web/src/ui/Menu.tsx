// Menus that open from a button, and by the right mouse button or the menu key.
import type { LucideIcon } from "lucide-react";
import { DropdownMenu as Radix, ContextMenu as RadixContext } from "radix-ui";
import { type ReactNode, useState } from "react";
import { cx } from "./cx";
import { ErrorBoundary } from "./ErrorBoundary";
import { Kbd } from "./Kbd";
import css from "./Menu.module.css";

export interface MenuAction {
  label: string;
  icon?: LucideIcon;
  shortcut?: string;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
}

/** `null` is a line between groups. */
export type MenuItem = MenuAction | null;

interface MenuProps {
  trigger: ReactNode;
  items: readonly MenuItem[];
  align?: "start" | "end";
  /** Called when the menu has closed; `true` says that the focus was put somewhere else than back on the trigger. */
  onClosed?: () => boolean;
}

export function Menu({ trigger, items, align = "end", onClosed }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Radix.Root open={isOpen} onOpenChange={setOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <ErrorBoundary what="This menu" place="nowhere" resetKey={isOpen}>
        <Radix.Portal>
          <Radix.Content
            className={css.menu}
            align={align}
            sideOffset={4}
            collisionPadding={8}
            onCloseAutoFocus={(event) => onClosed?.() && event.preventDefault()}
          >
            <ErrorBoundary what="This menu" place="float">
              <Items items={items} parts={Radix} />
            </ErrorBoundary>
          </Radix.Content>
        </Radix.Portal>
      </ErrorBoundary>
    </Radix.Root>
  );
}

export function ContextMenu({
  items,
  children,
}: {
  items: readonly MenuItem[];
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <RadixContext.Root onOpenChange={setOpen}>
      <RadixContext.Trigger asChild>{children}</RadixContext.Trigger>
      <ErrorBoundary what="This menu" place="nowhere" resetKey={isOpen}>
        <RadixContext.Portal>
          <RadixContext.Content className={css.menu} collisionPadding={8}>
            <ErrorBoundary what="This menu" place="float">
              <Items items={items} parts={RadixContext} />
            </ErrorBoundary>
          </RadixContext.Content>
        </RadixContext.Portal>
      </ErrorBoundary>
    </RadixContext.Root>
  );
}

function Items({
  items,
  parts,
}: {
  items: readonly MenuItem[];
  parts: typeof Radix | typeof RadixContext;
}) {
  const { Item, Separator } = parts;
  return items.map((item, index) =>
    item === null ? (
      <Separator key={index} className={css.line} />
    ) : (
      <Item
        key={index}
        className={cx(css.item, item.danger && css.danger)}
        disabled={item.disabled}
        onSelect={item.onSelect}
      >
        {item.icon ? <item.icon size={14} aria-hidden /> : <span className={css.noIcon} />}
        <span className={css.label}>{item.label}</span>
        {item.shortcut && <Kbd keys={item.shortcut} />}
      </Item>
    ),
  );
}
