import { useId } from 'preact/hooks';
import { ChoiceField, TextField } from '../ui/field.js';
import { bindings, type DraftFieldsProps, FieldGroup } from './form-parts.js';

const KINDS = [
  ['scale', 'Scale', 'A webhook with the action scale up or scale down.'],
  ['email', 'E-mail', 'A webhook, and an e-mail to one address.'],
] as const;

const OPERATIONS = [
  ['scaleUp', 'scale up'],
  ['scaleDown', 'scale down'],
] as const;

/** Fields of the action of a rule. */
export function ActionFields(props: DraftFieldsProps) {
  const { draft, errorOf, onChange } = props;
  const field = bindings(props);
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
          <ChoiceField label="Operation" {...field('operation', 'action.operation')} options={OPERATIONS} />
          <TextField
            label="Action name"
            {...field('actionName', 'action.actionName')}
            hint="Sent with every message."
          />
        </div>
      ) : (
        <>
          <TextField label="Address" {...field('email', 'action.email')} inputMode="email" />
          <TextField
            label="Text"
            {...field('body', 'action.body')}
            hint="The mail adds the server, the rule and the values."
            rows={3}
          />
        </>
      )}
    </FieldGroup>
  );
}
