import { useState } from 'preact/hooks';
import type { TestAnswerView } from '../../../src/operator/shapes.js';
import { serverViewPath } from '../api-paths.js';
import { send } from '../api.js';
import { Button } from '../ui/button.js';
import { ChoiceField } from '../ui/field.js';
import { announce } from '../ui/status.js';
import { TestAnswer } from '../ui/test-answer.js';
import { nameText } from '../ui/text.js';
import { FormButtons, FormProblem } from './form-parts.js';
import { useKeptDraft } from './kept-draft.js';
import {
  MESSAGE_FORM_FIELDS,
  messageFormBody,
  type MessageFormDraft,
  NEW_MESSAGE_FORM,
} from './message-form-draft.js';
import { MessageFormFields } from './message-form-fields.js';
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

const FIELDS = ['ruleId', ...MESSAGE_FORM_FIELDS];

type Draft = MessageFormDraft & { readonly ruleId: string };

/** The form that binds a rule to a url on a server (operation 15), and sends a test message there. */
export function SubscriptionForm({ tenantId, serverId, rules, onDone }: SubscriptionFormProps) {
  const path = subscriptionPath(tenantId, serverId);
  const draft = useKeptDraft<Draft>(path, () => ({ ...NEW_MESSAGE_FORM, ruleId: rules[0]?.ruleId ?? '' }));
  const { ruleId } = draft.value;
  const [answer, setAnswer] = useState<TestAnswerView>();
  const end = (): void => {
    draft.forget();
    onDone();
  };
  const body = (): object => ({ ruleId, ...messageFormBody(draft.value) });
  const form = useForm(FIELDS, async () => {
    await send('POST', path, body());
    announce('The subscription is created.');
    end();
  });

  const test = async (): Promise<void> =>
    setAnswer(await send<TestAnswerView>('POST', serverViewPath(tenantId, serverId, 'test'), body()));

  return (
    <>
      <form {...form.attributes} aria-label="New subscription">
        <FormProblem text={form.errorOf('')} />
        <ChoiceField
          label="Rule"
          error={form.errorOf('ruleId')}
          value={ruleId}
          options={rules.map((rule) => [rule.ruleId, nameText(rule.name)] as const)}
          onChange={(chosen) => draft.change({ ruleId: chosen })}
        />
        <MessageFormFields draft={draft.value} errorOf={form.errorOf} onChange={draft.change} />
        <FormButtons busy={form.busy} action="Subscribe" onCancel={end}>
          <Button busy={form.busy} onClick={form.clickHandler(test)}>
            Send a test
          </Button>
        </FormButtons>
      </form>
      <TestAnswer answer={answer} onClose={() => setAnswer(undefined)} />
    </>
  );
}
