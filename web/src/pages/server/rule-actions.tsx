import type { ServerRuleView, ServerView } from '../../../../src/console/shapes.js';
import { rulePath } from '../../forms/policy-paths.js';
import { ChangeButtons, DeleteRule } from '../../forms/removals.js';
import type { EditedRule } from '../../forms/rule-draft.js';
import { RuleForm } from '../../forms/rule-form.js';
import { SubscriptionForm } from '../../forms/subscription-form.js';
import { useQuery } from '../../query.js';
import { useRestoredState } from '../../restored-state.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { nameText } from '../../ui/text.js';

interface ServerButtonsProps {
  readonly server: ServerView;
  /** Called after a change. */
  readonly changed: () => void;
}

/** Which dialog about a server, or about one of its rules, is open. */
function useDialogs({ server, changed }: ServerButtonsProps, about: string) {
  const key = `${server.tenantId} ${server.serverId} ${about}`;
  const [opened, open] = useRestoredState<'rule' | 'subscription' | 'deletion' | undefined>(key, undefined);
  const close = (): void => open(undefined);
  const done = (): void => {
    close();
    changed();
  };
  return { opened, open, close, done };
}

/** Buttons that make a rule and a subscription. */
export function ServerButtons(props: ServerButtonsProps) {
  const { server } = props;
  const { opened, open, close, done } = useDialogs(props, 'new');
  return (
    <>
      <Button kind="primary" onClick={() => open('rule')}>
        New rule
      </Button>
      <Button onClick={() => open('subscription')}>Subscribe</Button>
      <Dialog open={opened === 'rule'} title="New rule" onClose={close}>
        <RuleForm tenantId={server.tenantId} serverId={server.serverId} onDone={done} />
      </Dialog>
      <Dialog open={opened === 'subscription'} title="New subscription" onClose={close}>
        <Subscribe server={server} onDone={done} />
      </Dialog>
    </>
  );
}

/** The form of a subscription, for the server's rules and the tenant's. */
function Subscribe({ server, onDone }: { readonly server: ServerView; readonly onDone: () => void }) {
  const { tenantId, serverId, rules } = server;
  const { data } = useQuery<{ readonly rules: readonly EditedRule[] }>(rulePath(tenantId, undefined));
  if (data === undefined) return null;
  const own = rules.filter(({ generic }) => !generic);
  // First the rule that was made last, if nothing subscribes to it yet: it is the likely one.
  const unsubscribed = own.filter(({ subscriptionCount }) => subscriptionCount === 0).toReversed();
  const others = own.filter(({ subscriptionCount }) => subscriptionCount > 0);
  return (
    <SubscriptionForm
      tenantId={tenantId}
      serverId={serverId}
      rules={[...unsubscribed, ...others, ...data.rules]}
      onDone={onDone}
    />
  );
}

/** Buttons of one rule. A rule of the tenant is changed on the page of the tenant's rules. */
export function RuleButtons(props: ServerButtonsProps & { readonly rule: ServerRuleView }) {
  const { rule, changed } = props;
  const { tenantId, serverId } = props.server;
  const { opened, open, close, done } = useDialogs(props, rule.ruleId);
  const form = { tenantId, serverId, onDone: done };
  return (
    <div class="rule-buttons">
      <Button kind="quiet" label={`Subscribe to ${nameText(rule.name)}`} onClick={() => open('subscription')}>
        Subscribe
      </Button>
      {!rule.generic && (
        <ChangeButtons name={rule.name} onChange={() => open('rule')} onDelete={() => open('deletion')} />
      )}
      <Dialog open={opened === 'subscription'} title="New subscription" onClose={close}>
        <SubscriptionForm {...form} rules={[rule]} />
      </Dialog>
      <Dialog open={opened === 'rule'} title="Change rule" onClose={close}>
        <RuleForm {...form} rule={{ ...rule, ...rule.options }} />
      </Dialog>
      <DeleteRule {...form} open={opened === 'deletion'} rule={rule} onClose={close} onDone={changed} />
    </div>
  );
}
