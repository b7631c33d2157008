import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useTask } from '../use-task.js';
import { Button } from './button.js';
import { TaskError } from './task-error.js';

interface DialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called when the viewer closes it, by Escape too. */
  readonly onClose: () => void;
}

/** A modal dialog. It takes the focus, keeps it, and gives it back. */
export function Dialog({ open, title, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const shown = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    shown.current = open;
    if (open && dialog?.open === false) dialog.showModal();
    if (!open && dialog?.open === true) dialog.close();
  }, [open]);
  // The event `close` comes after the focus is back. Who presses Enter between the two opens the dialog again, and that
  // event must not close it.
  const cancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  const closed = (): void => {
    if (shown.current && element.current?.open === false) onClose();
  };
  return (
    <dialog ref={element} aria-labelledby={id} onCancel={cancel} onClose={closed}>
      {open && (
        <>
          <h2 id={id}>{title}</h2>
          {children}
        </>
      )}
    </dialog>
  );
}

interface ConfirmProps extends DialogProps {
  /** The words of the button that does it: `Delete rule`. */
  readonly action: string;
  readonly danger?: boolean;
  /** The action. The dialog closes when it resolves, and shows the message of an error. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks before something is done that cannot be taken back. */
export function Confirm({ action, danger = false, onConfirm, children, ...dialog }: ConfirmProps) {
  const task = useTask();
  const close = (): void => {
    task.forget();
    dialog.onClose();
  };
  const confirm = (): Promise<void> =>
    task.run(async () => {
      await onConfirm();
      close();
    });
  return (
    <Dialog {...dialog} onClose={close}>
      <div class="dialog-text">{children}</div>
      <TaskError text={task.error} />
      <div class="dialog-buttons">
        <Button onClick={close}>Cancel</Button>
        <Button kind={danger ? 'danger' : 'primary'} busy={task.busy} onClick={() => void confirm()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
