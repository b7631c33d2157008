import { send } from '../api.js';
import { ChoiceField, TextField } from '../ui/field.js';
import { announce } from '../ui/status.js';
import { nameText } from '../ui/text.js';
import { FormButtons, FormProblem } from './form-parts.js';
import { useKeptDraft } from './kept-draft.js';
import { subscriptionPath } from './policy-paths.js';
import type { EditedRule } from './rule-draft.js';
import { useForm } from './use-form.js';

export interface SubscriptionFormProps {
  readonly tenantId: string;
  readonly serverId: string;
  /** The rules that can be chosen: the server's own, and the tenant's. */
  readonly rules: readonly Pick<EditedRule, 'ruleId' | 'name'>[];
  /** Called after the subscription was made, and when the viewer gives up. */
  readonly onDone: () => void;
}

const FIELDS = ['ruleId', 'url'];

/** The form that binds a rule to a url on a server (operation 15). */
export function SubscriptionForm({ tenantId, serverId, rules, onDone }: SubscriptionFormProps) {
  const path = subscriptionPath(tenantId, serverId);
  const draft = useKeptDraft(path, () => ({ ruleId: rules[0]?.ruleId ?? '', url: '' }));
  const { ruleId, url } = draft.value;
  const end = (): void => {
    draft.forget();
    onDone();
  };
  const form = useForm(FIELDS, async () => {
    await send('POST', path, { ruleId, url });
    announce('The subscription is made.');
    end();
  });

  return (
    <form {...form.attributes} aria-label="New subscription">
      <FormProblem text={form.errorOf('')} />
      <ChoiceField
        label="Rule"
        error={form.errorOf('ruleId')}
        value={ruleId}
        options={rules.map((rule) => [rule.ruleId, nameText(rule.name)] as const)}
        onChange={(chosen) => draft.change({ ruleId: chosen })}
      />
      <TextField
        label="Webhook URL"
        error={form.errorOf('url')}
        hint="Each firing is POSTed there, signed with the tenant’s webhook secret."
        inputMode="url"
        spellcheck={false}
        placeholder="https://receiver.example.org/hook"
        value={url}
        onInput={(text) => draft.change({ url: text })}
      />
      <FormButtons busy={form.busy} action="Subscribe" onCancel={end} />
    </form>
  );
}
