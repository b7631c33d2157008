import type { AllHTMLAttributes, ComponentChildren, TargetedInputEvent, VNode } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  /** The API's message about this field. */
  readonly error?: string | undefined;
  readonly hint?: ComponentChildren;
}

/** Attributes that a field gives to its input. */
interface InputProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': 'true' | undefined;
}

/** An input with its label, a hint and its error. `children` makes the input: `{(input) => <input {...input} />}`. */
export function Field({
  label,
  error,
  hint,
  children,
}: FieldProps & { readonly children: (input: InputProps) => VNode }) {
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

/** A text as it is typed, and attributes of its input. */
interface TypedProps
  extends FieldProps, Pick<AllHTMLAttributes, 'class' | 'inputMode' | 'placeholder' | 'rows' | 'spellcheck'> {
  readonly value: string;
  /** The unit of a number, shown after it: `%`. */
  readonly unit?: string | undefined;
  readonly onChange: (text: string) => void;
}

/** A field for a text, or a number that is kept as it is typed. With `rows` it takes lines of text. */
export function TextField({ label, error, hint, unit, onChange, ...attributes }: TypedProps) {
  return (
    <Field label={label} error={error} hint={hint}>
      {(input) => {
        const typed = {
          ...input,
          ...attributes,
          onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) =>
            onChange(currentTarget.value),
        };
        if (attributes.rows !== undefined) return <textarea {...typed} />;
        const text = <input type="text" autocomplete="off" {...typed} />;
        return unit === undefined ? (
          text
        ) : (
          <span class="with-unit">
            {text}
            <span class="unit">{unit}</span>
          </span>
        );
      }}
    </Field>
  );
}

interface ChoiceFieldProps extends FieldProps {
  readonly value: string;
  /** The values, each with its words. */
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onChange: (value: string) => void;
}

/** A field for one of a few values. */
export function ChoiceField({ value, options, onChange, ...field }: ChoiceFieldProps) {
  return (
    <Field {...field}>
      {(input) => (
        <select {...input} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {options.map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const DECIMAL = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?\s*$/i;

/** Returns the number that is typed. Any other text is returned as it is: the service says what is wrong with it. */
export function typedNumber(text: string): number | string {
  return DECIMAL.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
}
