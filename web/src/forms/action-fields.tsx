import { useId } from 'preact/hooks';
import { Field } from '../ui/field.js';
import type { RuleDraft } from './rule-draft.js';

interface ActionFieldsProps {
  readonly draft: RuleDraft;
  readonly errorOf: (field: string) => string | undefined;
  readonly onChange: (part: Partial<RuleDraft>) => void;
}

const KINDS = [
  ['scale', 'Scale', 'A webhook that says scale up or scale down.'],
  ['email', 'E-mail', 'A webhook, and an e-mail to one address.'],
] as const;

/** Fields of the action of a rule. */
export function ActionFields({ draft, errorOf, onChange }: ActionFieldsProps) {
  const group = useId();
  const problem = errorOf('action');
  return (
    <fieldset class="form-group" aria-invalid={problem === undefined ? undefined : 'true'} tabIndex={-1}>
      <legend>Action</legend>
      {problem !== undefined && <p class="error">{problem}</p>}
      <div class="options">
        {KINDS.map(([kind, words, hint]) => (
          <label class="option" key={kind}>
            <input
              type="radio"
              name={group}
              checked={draft.sends === kind}
              onChange={() => onChange({ sends: kind })}
            />
            <span>
              <strong>{words}</strong>
              <span class="hint">{hint}</span>
            </span>
          </label>
        ))}
      </div>
      {draft.sends === 'scale' ? (
        <ScaleFields draft={draft} errorOf={errorOf} onChange={onChange} />
      ) : (
        <EmailFields draft={draft} errorOf={errorOf} onChange={onChange} />
      )}
    </fieldset>
  );
}

function ScaleFields({ draft, errorOf, onChange }: ActionFieldsProps) {
  return (
    <div class="form-row">
      <Field label="Operation" error={errorOf('action.operation')}>
        {(input) => (
          <select
            {...input}
            value={draft.operation}
            onChange={({ currentTarget }) => onChange({ operation: currentTarget.value })}
          >
            <option value="scaleUp">scale up</option>
            <option value="scaleDown">scale down</option>
          </select>
        )}
      </Field>
      <Field label="Action name" error={errorOf('action.actionName')} hint="Sent with every message.">
        {(input) => (
          <input
            {...input}
            type="text"
            autocomplete="off"
            value={draft.actionName}
            onInput={({ currentTarget }) => onChange({ actionName: currentTarget.value })}
          />
        )}
      </Field>
    </div>
  );
}

function EmailFields({ draft, errorOf, onChange }: ActionFieldsProps) {
  return (
    <>
      <Field label="Address" error={errorOf('action.email')}>
        {(input) => (
          <input
            {...input}
            type="text"
            inputMode="email"
            autocomplete="off"
            value={draft.email}
            onInput={({ currentTarget }) => onChange({ email: currentTarget.value })}
          />
        )}
      </Field>
      <Field
        label="Text"
        error={errorOf('action.body')}
        hint="The mail adds the server, the rule and the values."
      >
        {(input) => (
          <textarea
            {...input}
            rows={3}
            value={draft.body}
            onInput={({ currentTarget }) => onChange({ body: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}
