import type { ButtonHTMLAttributes, ComponentChildren, TargetedMouseEvent } from 'preact';

interface ButtonProps extends Pick<ButtonHTMLAttributes, 'type' | 'form' | 'disabled'> {
  readonly children: ComponentChildren;
  /** `plain` by default. A page has at most one `primary` in sight. */
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** While it works it keeps the focus and ignores clicks. */
  readonly busy?: boolean | undefined;
  readonly label?: string;
  readonly expanded?: boolean;
  /** True or false for a button that turns something on and off. */
  readonly pressed?: boolean;
  readonly controls?: string;
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
}

/** A button of the console. */
export function Button(props: ButtonProps) {
  const {
    children,
    kind = 'plain',
    busy = false,
    label,
    expanded,
    pressed,
    controls,
    onClick,
    ...attributes
  } = props;
  return (
    <button
      type="button"
      {...attributes}
      class={`button ${kind}`}
      aria-disabled={busy ? 'true' : undefined}
      aria-label={label}
      aria-expanded={expanded}
      aria-pressed={pressed}
      aria-controls={controls}
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
