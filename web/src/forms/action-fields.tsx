import { useId } from 'preact/hooks';
import { ChoiceField, TextField } from '../ui/field.js';
import { type DraftFieldsProps, FieldGroup } from './form-parts.js';

const KINDS = [
  ['scale', 'Scale', 'A webhook with the action scale up or scale down.'],
  ['email', 'E-mail', 'A webhook, and an e-mail to one address.'],
] as const;

const OPERATIONS = [
  ['scaleUp', 'scale up'],
  ['scaleDown', 'scale down'],
] as const;

/** Fields of the action of a rule. */
export function ActionFields({ draft, errorOf, onChange }: DraftFieldsProps) {
  const group = useId();
  return (
    <FieldGroup legend="Action" problem={errorOf('action')}>
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
        <div class="form-row">
          <ChoiceField
            label="Operation"
            error={errorOf('action.operation')}
            value={draft.operation}
            options={OPERATIONS}
            onChange={(operation) => onChange({ operation })}
          />
          <TextField
            label="Action name"
            error={errorOf('action.actionName')}
            hint="Sent with every message."
            value={draft.actionName}
            onInput={(actionName) => onChange({ actionName })}
          />
        </div>
      ) : (
        <>
          <TextField
            label="Address"
            error={errorOf('action.email')}
            inputMode="email"
            value={draft.email}
            onInput={(email) => onChange({ email })}
          />
          <TextField
            label="Text"
            error={errorOf('action.body')}
            hint="The mail adds the server, the rule and the values."
            rows={3}
            value={draft.body}
            onInput={(body) => onChange({ body })}
          />
        </>
      )}
    </FieldGroup>
  );
}
