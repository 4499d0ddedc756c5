// Menus that open from a button, and by the right mouse button or the menu key.
import type { LucideIcon } from "lucide-react";
import { DropdownMenu as Radix, ContextMenu as RadixContext } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "./cx";
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
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className={css.menu}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => onClosed?.() && event.preventDefault()}
        >
          <Items items={items} parts={Radix} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function ContextMenu({ items, children }: { items: readonly MenuItem[]; children: ReactNode }) {
  return (
    <RadixContext.Root>
      <RadixContext.Trigger asChild>{children}</RadixContext.Trigger>
      <RadixContext.Portal>
        <RadixContext.Content className={css.menu} collisionPadding={8}>
          <Items items={items} parts={RadixContext} />
        </RadixContext.Content>
      </RadixContext.Portal>
    </RadixContext.Root>
  );
}

function Items({ items, parts }: { items: readonly MenuItem[]; parts: typeof Radix | typeof RadixContext }) {
  const { Item, Separator } = parts;
  return items.map((item, index) =>
    item === null ? (
      <Separator key={index} className={css.line} />
    ) : (
      <Item key={index} className={cx(css.item, item.danger && css.danger)} disabled={item.disabled} onSelect={item.onSelect}>
        {item.icon ? <item.icon size={14} aria-hidden /> : <span className={css.noIcon} />}
        <span className={css.label}>{item.label}</span>
        {item.shortcut && <Kbd keys={item.shortcut} />}
      </Item>
    ),
  );
}
