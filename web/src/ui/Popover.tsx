// Something small that opens beside its button.
import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";
import css from "./Popover.module.css";

interface PopoverProps {
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "center" | "end";
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** What it is for, said to those who do not see it. */
  label?: string;
}

export function Popover({ trigger, children, align = "start", open, onOpenChange, label }: PopoverProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={css.popover} align={align} sideOffset={6} collisionPadding={8} aria-label={label}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
