import type { ComponentChildren } from 'preact';
import { Button } from '../ui/button.js';
import { Prose } from '../ui/text.js';
import type { RuleDraft } from './rule-draft.js';

/** Given to the parts of a form: what is typed, its problems, and how it changes. */
export interface FormPartProps<T> {
  readonly draft: T;
  /** The problem of a field, named as the service names it. */
  readonly errorOf: (field: string) => string | undefined;
  readonly onChange: (part: Partial<T>) => void;
}

/** Given to the parts of the form of a rule. */
export type DraftFieldsProps = FormPartProps<RuleDraft>;

/** The members of a draft that are texts. */
type TextMember<T> = { [K in keyof T]-?: string extends T[K] ? K : never }[keyof T] & string;

/** Returns the function that binds a `TextField` or a `ChoiceField` to a member of the draft. `field`: as the service names it. */
export function bindings<T>({ draft, errorOf, onChange }: FormPartProps<T>) {
  return (member: TextMember<T>, field: string = member) => ({
    error: errorOf(field),
    value: (draft[member] ?? '') as string,
    onChange: (text: string) => onChange({ [member]: text } as Partial<T>),
  });
}

interface FieldGroupProps {
  readonly legend: string;
  /** The problem of the group as a whole. */
  readonly problem: string | undefined;
  readonly children: ComponentChildren;
}

/** A part of a form with a name of its own. */
export function FieldGroup({ legend, problem, children }: FieldGroupProps) {
  return (
    <fieldset class="form-group" aria-invalid={problem === undefined ? undefined : 'true'} tabIndex={-1}>
      <legend>{legend}</legend>
      {problem !== undefined && <p class="error">{problem}</p>}
      {children}
    </fieldset>
  );
}

/** The problem of a folded part of a form. */
export function GroupProblem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="error" tabIndex={-1} aria-invalid="true">
      {text}
    </p>
  );
}

/** The problem of a whole form, in the service's words. */
export function FormProblem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <div class="form-problem error" role="alert" tabIndex={-1} data-problem>
      <Prose text={text} />
    </div>
  );
}

interface FormButtonsProps {
  /** The words of the button that sends: `Create rule`. */
  readonly action: string;
  readonly busy?: boolean;
  readonly onCancel: () => void;
  /** Id of the form, if the buttons stand after it and not in it. */
  readonly formId?: string;
  /** Other buttons. */
  readonly children?: ComponentChildren;
}

/** The buttons that end a form. */
export function FormButtons({ action, busy, onCancel, formId, children }: FormButtonsProps) {
  return (
    <div class="form-buttons">
      <Button onClick={onCancel}>Cancel</Button>
      {children}
      <Button kind="primary" type="submit" form={formId} busy={busy}>
        {action}
      </Button>
    </div>
  );
}
