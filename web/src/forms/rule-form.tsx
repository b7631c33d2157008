import { useContext, useId, useState } from 'preact/hooks';
import { send } from '../api.js';
import { Shape } from '../ui/badge.js';
import { counted } from '../ui/number.js';
import { announce } from '../ui/status.js';
import { TextField } from '../ui/field.js';
import { ActionFields } from './action-fields.js';
import { ConditionFields } from './condition-fields.js';
import { type ManyMessages, manyMessages } from './backtest/many-messages.js';
import { PastOfServer } from './backtest/past-of-server.js';
import { TryOut } from './backtest/try-out.js';
import { bindings, FieldGroup, FormButtons, FormProblem } from './form-parts.js';
import { LabelFields } from './label-fields.js';
import { useKeptDraft } from './kept-draft.js';
import { MESSAGE_FORM_FIELDS, NEW_MESSAGE_FORM } from './message-form-draft.js';
import { MessageFormFields } from './message-form-fields.js';
import { createSubscribed, refuseNewServer } from './new-rule.js';
import { policyPath, rulePath } from './policy-paths.js';
import {
  type EditedRule,
  changeIn,
  draftOf,
  emptyDraft,
  fieldsOf,
  type RuleDraft,
  ruleIn,
} from './rule-draft.js';
import { RuleOptionsFields } from './rule-options-fields.js';
import { useForm } from './use-form.js';

/** A form with a new rule, or with the rule that is changed. */
export interface RuleFormProps {
  readonly tenantId: string;
  /** Absent: a rule of the tenant. */
  readonly serverId?: string | undefined;
  /** True: a rule of a server whose id is typed in the form. */
  readonly asksServer?: true;
  /** The rule to change. Absent: a new one. */
  readonly rule?: EditedRule | undefined;
  /** Called after the rule was saved, with the id of its server, and without one when the viewer gives up. */
  readonly onDone: (serverId?: string) => void;
}

/**
 * The form that creates a rule (operations 4 and 11), with its subscription if it is one of a server, or changes what was
 * changed in it (operations 6 and 12).
 */
export function RuleForm({ tenantId, serverId, asksServer, rule, onDone }: RuleFormProps) {
  const id = useId();
  const key = asksServer === true ? policyPath(tenantId, 'servers') : rulePath(tenantId, serverId);
  // The change is against the rule that the viewer saw: somebody else may have changed it meanwhile.
  const draft = useKeptDraft(rule === undefined ? key : `${key}/${rule.ruleId}`, () => ({
    ...(rule === undefined ? emptyDraft() : draftOf(rule)),
    serverId: serverId ?? '',
    receiver: NEW_MESSAGE_FORM,
    seen: rule,
  }));
  const { seen, receiver } = draft.value;
  const isOfServer = asksServer === true || serverId !== undefined;
  const end = (made?: string): void => {
    draft.forget();
    onDone(made);
  };
  const past = useContext(PastOfServer);
  const [many, setMany] = useState<ManyMessages & { readonly asked: string }>();
  const asked = whenIn(draft.value);
  const isWarned = many?.asked === asked;
  const form = useForm(['serverId', ...fieldsOf(draft.value), ...MESSAGE_FORM_FIELDS], async () => {
    if (!isWarned && (seen === undefined || asked !== whenIn(draftOf(seen)))) {
      const found = await manyMessages(tenantId, draft.value, past);
      if (found !== undefined) return setMany({ ...found, asked });
    }
    const typed = draft.value.serverId.trim();
    if (seen !== undefined) {
      const change = changeIn(draft.value, seen);
      if (change !== undefined) await send('PUT', rulePath(tenantId, serverId, seen.ruleId), change);
    } else if (isOfServer) {
      const made = { tenantId, serverId: typed, receiver };
      if (asksServer === true) await refuseNewServer(made, ruleIn(draft.value));
      await createSubscribed(made, ruleIn(draft.value));
    } else {
      await send('POST', rulePath(tenantId, undefined), ruleIn(draft.value));
    }
    announce(rule === undefined ? 'The rule is created.' : 'The rule is changed.');
    end(typed);
  });
  const fields = { draft: draft.value, errorOf: form.errorOf, onChange: draft.change };
  const field = bindings(fields);

  return (
    <div class="form">
      <form {...form.attributes} id={id} aria-label={rule === undefined ? 'New rule' : 'Rule'}>
        <FormProblem text={form.errorOf('')} />
        {asksServer === true && (
          <TextField
            label="Server id"
            {...field('serverId')}
            hint="The id under which it sends its measurements."
            spellcheck={false}
          />
        )}
        <TextField
          label="Name"
          {...field('name')}
          hint={asksServer === true ? 'The name of its first rule. Messages contain it.' : undefined}
        />
        <ConditionFields {...fields} />
        <RuleOptionsFields {...fields} />
        <LabelFields {...fields} />
        <ActionFields {...fields} />
        {isOfServer && rule === undefined && (
          <FieldGroup legend="Receiver" problem={undefined}>
            <p class="hint">
              Each firing is sent there, also if the rule sends e-mails.
              {asksServer !== true && ' Without a URL the rule is not evaluated until it has a subscription.'}
            </p>
            <MessageFormFields
              draft={receiver}
              errorOf={form.errorOf}
              onChange={(part) => draft.change({ receiver: { ...receiver, ...part } })}
            />
          </FieldGroup>
        )}
      </form>
      {/* Not in the form: Enter in one of its fields must not save the rule. */}
      <TryOut tenantId={tenantId} draft={draft.value} />
      {isWarned && (
        <p class="many-messages" role="alert">
          <Shape tone="warn" /> In the {many.span} it would have sent about {counted(many.count, 'message')}.
          “Holds for”, “Repeats after” and “Clears at” reduce them.
        </p>
      )}
      <FormButtons
        busy={form.busy}
        formId={id}
        action={`${rule === undefined ? 'Create rule' : 'Save changes'}${isWarned ? ' anyway' : ''}`}
        onCancel={() => end()}
      />
    </div>
  );
}

/** Returns when a rule fires, as a text: what its name, labels and action do not change. */
function whenIn(draft: RuleDraft): string {
  return JSON.stringify({ ...ruleIn(draft), name: undefined, labels: undefined, action: undefined });
}
