// A dialog that holds a form: its fields, the button that sends it, and what went wrong. Enter sends it, Escape closes it.
import { type ReactNode, useId } from "react";
import { ErrorState } from "./AsyncStates";
import { Button } from "./Button";
import { Dialog, type DialogProps } from "./Dialog";
import css from "./Dialog.module.css";
import { FormSubmitted, type FormWork, useSubmit } from "./useSubmit";

interface FormDialogProps extends Omit<DialogProps, "open" | "footer">, Omit<FormWork, "onDone"> {
  open?: boolean;
  /** What the button that sends the form says. Without it there is nothing to send yet. */
  action?: ReactNode;
  /** What the other button says. */
  cancel?: string;
  danger?: boolean;
  disabled?: boolean;
  /** Stands at the left end of the footer. */
  aside?: ReactNode;
}

/** Closes when `onSubmit` has done its work. */
export function FormDialog(props: FormDialogProps) {
  const {
    open = true,
    onClose,
    action,
    cancel = "Cancel",
    danger,
    disabled,
    aside,
    invalid,
    onSubmit,
    children,
    ...dialog
  } = props;
  const id = useId();
  const form = useSubmit({
    invalid,
    onSubmit: action === undefined ? () => false : onSubmit,
    onDone: onClose,
  });
  const footer = action !== undefined && (
    <>
      {aside && (
        <>
          {aside}
          <span className={css.fill} />
        </>
      )}
      <Button onClick={onClose}>{cancel}</Button>
      <Button
        kind={danger ? "danger" : "primary"}
        type="submit"
        form={id}
        busy={form.busy}
        disabled={disabled}
      >
        {action}
      </Button>
    </>
  );
  return (
    <Dialog open={open} onClose={onClose} footer={footer} {...dialog}>
      <form id={id} className={css.fields} onSubmit={form.submit} noValidate>
        <FormSubmitted value={form.isSubmitted}>{children}</FormSubmitted>
        {Boolean(form.error) && <ErrorState error={form.error} />}
      </form>
    </Dialog>
  );
}
