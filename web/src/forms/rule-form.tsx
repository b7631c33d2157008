import { useId } from 'preact/hooks';
import { send } from '../api.js';
import { announce } from '../ui/status.js';
import { TextField } from '../ui/field.js';
import { ActionFields } from './action-fields.js';
import { ConditionFields } from './condition-fields.js';
import { TryOut } from './backtest/try-out.js';
import { FormButtons, FormProblem } from './form-parts.js';
import { LabelFields } from './label-fields.js';
import { useKeptDraft } from './kept-draft.js';
import { rulePath } from './policy-paths.js';
import { type EditedRule, changeIn, draftOf, emptyDraft, fieldsOf, ruleIn } from './rule-draft.js';
import { RuleOptionsFields } from './rule-options-fields.js';
import { useForm } from './use-form.js';

/** A form with a new rule, or with the rule that is changed. */
export interface RuleFormProps {
  readonly tenantId: string;
  /** Absent: a rule of the tenant. */
  readonly serverId?: string | undefined;
  /** The rule to change. Absent: a new one. */
  readonly rule?: EditedRule | undefined;
  /** Called after the rule was saved, and when the viewer gives up. */
  readonly onDone: () => void;
}

/** The form that creates a rule (operations 4 and 11), or changes what was changed in it (operations 6 and 12). */
export function RuleForm({ tenantId, serverId, rule, onDone }: RuleFormProps) {
  const id = useId();
  const path = rulePath(tenantId, serverId, ...(rule === undefined ? [] : [rule.ruleId]));
  // The change is against the rule that the viewer saw: somebody else may have changed it meanwhile.
  const draft = useKeptDraft(path, () => ({
    ...(rule === undefined ? emptyDraft() : draftOf(rule)),
    seen: rule,
  }));
  const { seen } = draft.value;
  const end = (): void => {
    draft.forget();
    onDone();
  };
  const form = useForm(fieldsOf(draft.value), async () => {
    if (seen === undefined) {
      await send('POST', path, ruleIn(draft.value));
    } else {
      const change = changeIn(draft.value, seen);
      if (change !== undefined) await send('PUT', path, change);
    }
    announce(rule === undefined ? 'The rule is created.' : 'The rule is changed.');
    end();
  });
  const fields = { draft: draft.value, errorOf: form.errorOf, onChange: draft.change };

  return (
    <div class="form">
      <form {...form.attributes} id={id} aria-label={rule === undefined ? 'New rule' : 'Rule'}>
        <FormProblem text={form.errorOf('')} />
        <TextField
          label="Name"
          error={form.errorOf('name')}
          value={draft.value.name}
          onInput={(name) => draft.change({ name })}
        />
        <ConditionFields {...fields} />
        <RuleOptionsFields {...fields} />
        <LabelFields {...fields} />
        <ActionFields {...fields} />
      </form>
      {/* Not in the form: Enter in one of its fields must not save the rule. */}
      <TryOut tenantId={tenantId} draft={draft.value} />
      <FormButtons
        busy={form.busy}
        formId={id}
        action={rule === undefined ? 'Create rule' : 'Save changes'}
        onCancel={end}
      />
    </div>
  );
}
