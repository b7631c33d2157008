import type { ServerView } from '../../../src/console/shapes.js';
import type { ExplainedSubscription } from '../../../src/policy/explain/shapes.js';
import { send } from '../api.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { announce } from '../ui/status.js';
import { Id, nameText } from '../ui/text.js';
import { rulePath, subscriptionPath } from './policy-paths.js';
import type { EditedRule } from './rule-draft.js';

interface DialogProps {
  readonly open: boolean;
  /** Called when the dialog closes. */
  readonly onClose: () => void;
  /** Called after the change. */
  readonly onDone: () => void;
}

interface DeleteRuleProps extends DialogProps {
  readonly tenantId: string;
  readonly serverId?: string | undefined;
  readonly rule: Pick<EditedRule, 'ruleId' | 'name'>;
}

interface ChangeButtonsProps {
  /** The name of the rule. */
  readonly name: string;
  readonly onChange: () => void;
  readonly onDelete: () => void;
}

/** Buttons that change and delete a rule. */
export function ChangeButtons({ name, onChange, onDelete }: ChangeButtonsProps) {
  return (
    <>
      <Button kind="quiet" label={`Change ${nameText(name)}`} onClick={onChange}>
        Change
      </Button>
      <Button kind="quiet" label={`Delete ${nameText(name)}`} onClick={onDelete}>
        Delete
      </Button>
    </>
  );
}

/** Asks, then deletes a rule with its subscriptions (operations 7 and 13). */
export function DeleteRule({ open, tenantId, serverId, rule, onClose, onDone }: DeleteRuleProps) {
  return (
    <Confirm
      open={open}
      title="Delete this rule?"
      action="Delete rule"
      danger
      onClose={onClose}
      onConfirm={async () => {
        await send('DELETE', rulePath(tenantId, serverId, rule.ruleId));
        announce('The rule is deleted.');
        onDone();
      }}
    >
      <p>
        <Id text={rule.name} />
      </p>
      <p>
        {serverId === undefined
          ? 'It ends on every server of the tenant, with all of its subscriptions.'
          : 'Its subscriptions end.'}{' '}
        Messages that it has fired are still delivered. A deleted rule cannot be restored.
      </p>
    </Confirm>
  );
}

/** Given to a dialog about one subscription. */
interface SubscriptionDialogProps extends DialogProps {
  readonly server: Pick<ServerView, 'tenantId' | 'serverId'>;
  readonly subscription: ExplainedSubscription;
  readonly ruleName: string;
}

/** Asks, then ends a subscription (operation 16). */
export function EndSubscription(props: SubscriptionDialogProps) {
  const { open, server, subscription, ruleName, onClose, onDone } = props;
  return (
    <Confirm
      open={open}
      title="End this subscription?"
      action="End subscription"
      danger
      onClose={onClose}
      onConfirm={async () => {
        const { tenantId, serverId } = server;
        await send('DELETE', subscriptionPath(tenantId, serverId, subscription.subscriptionId));
        announce('The subscription is ended.');
        onDone();
      }}
    >
      <p>
        <Id text={ruleName} plain /> to <Id text={subscription.url} />
      </p>
      <p>No new messages are sent for it. Messages that it has fired are still delivered.</p>
    </Confirm>
  );
}
