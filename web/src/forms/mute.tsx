import { useState } from 'preact/hooks';
import { send } from '../api.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { announce } from '../ui/status.js';
import { Id } from '../ui/text.js';
import { isAhead, Time } from '../ui/time.js';
import { TaskError } from '../ui/task-error.js';
import { useTask } from '../use-task.js';
import { subscriptionPath } from './policy-paths.js';
import type { SubscriptionDialogProps } from './removals.js';

/** The times to choose from, s. */
const TIMES = [
  ['One hour', 3_600],
  ['One day', 86_400],
  ['Seven days', 604_800],
] as const;

/** A dialog that mutes a subscription for a time, or ends its mute. */
export function MuteSubscription(props: SubscriptionDialogProps) {
  const { open, server, subscription, ruleName, onDone } = props;
  const { subscriptionId, url, mutedUntil, mutedBy } = subscription;
  const task = useTask();
  const [chosen, choose] = useState('');
  const path = subscriptionPath(server.tenantId, server.serverId, subscriptionId, 'mute');
  const close = (): void => {
    task.forget();
    props.onClose();
  };
  const choice = (label: string, change: () => Promise<unknown>, done: string) => (
    <Button
      key={label}
      kind={label === 'Unmute' ? 'primary' : 'plain'}
      busy={task.busy && chosen === label}
      disabled={task.busy && chosen !== label}
      onClick={() => {
        choose(label);
        void task.run(async () => {
          await change();
          announce(done);
          close();
          onDone();
        });
      }}
    >
      {label}
    </Button>
  );
  return (
    <Dialog open={open} title="Mute this subscription" onClose={close}>
      <div class="dialog-text">
        <p>
          <Id text={ruleName} plain /> to <Id text={url} />
        </p>
        <p>
          While it is muted its rule is evaluated as before, and nothing is sent. What was not sent is not
          sent later.
        </p>
        {mutedUntil !== undefined && isAhead(mutedUntil) && (
          <p>
            It is muted{mutedBy !== undefined && ' by a quiet time'}. The mute ends <Time at={mutedUntil} />.
          </p>
        )}
      </div>
      <TaskError text={task.error} />
      <div class="button-row">
        {TIMES.map(([label, seconds]) =>
          choice(label, () => send('PUT', path, { for: seconds }), 'The subscription is muted.'),
        )}
        {mutedUntil !== undefined &&
          mutedBy === undefined &&
          choice('Unmute', () => send('DELETE', path), 'The subscription is not muted any more.')}
      </div>
      <div class="dialog-buttons">
        <Button onClick={close}>Cancel</Button>
      </div>
    </Dialog>
  );
}
