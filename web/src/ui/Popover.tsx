// Something small that opens beside its button.
import { Popover as Radix } from "radix-ui";
import { type ReactNode, useState } from "react";
import { ErrorBoundary } from "./ErrorBoundary";
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

export function Popover({
  trigger,
  children,
  align = "start",
  open,
  onOpenChange,
  label,
}: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const change = (next: boolean) => {
    setOpen(next);
    onOpenChange?.(next);
  };
  return (
    <Radix.Root open={open ?? isOpen} onOpenChange={change}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <ErrorBoundary what="This" place="nowhere" resetKey={open ?? isOpen}>
        <Radix.Portal>
          <Radix.Content
            className={css.popover}
            align={align}
            sideOffset={6}
            collisionPadding={8}
            aria-label={label}
          >
            <ErrorBoundary what={label ?? "This"} place="float">
              {children}
            </ErrorBoundary>
          </Radix.Content>
        </Radix.Portal>
      </ErrorBoundary>
    </Radix.Root>
  );
}
