import type { ComponentChildren } from 'preact';
import { Button } from '../ui/button.js';
import { Prose } from '../ui/text.js';
import type { Form } from './use-form.js';

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
  readonly form: Form;
  /** The words of the button that sends: `Create rule`. */
  readonly action: string;
  readonly onCancel?: (() => void) | undefined;
  /** Id of the form, if the buttons stand after it and not in it. */
  readonly formId?: string;
  /** Beside the other buttons. */
  readonly children?: ComponentChildren;
}

/** The buttons that end a form. */
export function FormButtons({ form, action, onCancel, formId, children }: FormButtonsProps) {
  return (
    <div class="form-buttons">
      {children}
      {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
      <Button kind="primary" type="submit" form={formId} busy={form.busy}>
        {action}
      </Button>
    </div>
  );
}
