import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';

/** Attributes that a field gives to its input. */
export interface InputProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': 'true' | undefined;
}

interface FieldProps {
  readonly label: string;
  /** The API's message about this field. */
  readonly error?: string | undefined;
  readonly hint?: ComponentChildren;
  /** Makes the input: `{(input) => <input {...input} name="cpu" />}`. */
  readonly children: (input: InputProps) => VNode;
}

/** An input with its label, a hint and its error. */
export function Field({ label, error, hint, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error ? 'true' : undefined,
      })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** Gives the focus to the first input of a form that has an error. */
export function focusFirstError(form: HTMLElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
