import type { ComponentChildren, TargetedMouseEvent } from 'preact';

interface ButtonProps {
  readonly children: ComponentChildren;
  /** `plain` by default. A page has at most one `primary` in sight. */
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  /** Id of the form that it is a button of, where it stands outside. */
  readonly form?: string | undefined;
  /** While it works it keeps the focus and ignores clicks. */
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly label?: string;
  readonly expanded?: boolean;
  readonly controls?: string;
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
}

/** A button of the console. */
export function Button(props: ButtonProps) {
  const { children, kind = 'plain', type = 'button', busy = false, disabled = false, onClick } = props;
  return (
    <button
      type={type}
      form={props.form}
      class={`button ${kind}`}
      disabled={disabled}
      aria-disabled={busy ? 'true' : undefined}
      aria-label={props.label}
      aria-expanded={props.expanded}
      aria-controls={props.controls}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
      {busy && <span class="spinner" aria-hidden="true" />}
    </button>
  );
}
