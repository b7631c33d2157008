import { send } from '../api.js';
import { Confirm } from '../ui/dialog.js';
import { announce } from '../ui/status.js';
import { Id } from '../ui/text.js';
import { rulePath, subscriptionPath } from './policy-paths.js';
import type { EditedRule } from './rule-draft.js';

interface RemovalProps {
  readonly open: boolean;
  readonly tenantId: string;
  /** Called when the dialog closes. */
  readonly onClose: () => void;
  /** Called after the removal. */
  readonly onDone: () => void;
}

/** Asks, then deletes a rule with its subscriptions (operations 7 and 13). */
export function DeleteRule(
  props: RemovalProps & {
    readonly serverId?: string | undefined;
    readonly rule: Pick<EditedRule, 'ruleId' | 'name'>;
  },
) {
  const { open, tenantId, serverId, rule, onClose, onDone } = props;
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
        Messages that it has fired are still delivered. A deleted rule cannot be brought back.
      </p>
    </Confirm>
  );
}

/** Asks, then ends a subscription (operation 16). */
export function EndSubscription(
  props: RemovalProps & {
    readonly serverId: string;
    readonly subscriptionId: string;
    readonly url: string;
    readonly ruleName: string;
  },
) {
  const { open, tenantId, serverId, subscriptionId, url, ruleName, onClose, onDone } = props;
  return (
    <Confirm
      open={open}
      title="End this subscription?"
      action="End subscription"
      danger
      onClose={onClose}
      onConfirm={async () => {
        await send('DELETE', subscriptionPath(tenantId, serverId, subscriptionId));
        announce('The subscription is ended.');
        onDone();
      }}
    >
      <p>
        <Id text={ruleName} plain /> to <Id text={url} />
      </p>
      <p>Nothing more is fired for it. Messages that it has fired are still delivered.</p>
    </Confirm>
  );
}
