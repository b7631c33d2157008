import { useState } from 'preact/hooks';
import type { DeliveryRowView } from '../../../../src/console/shapes.js';
import { ownPath } from '../../api-paths.js';
import { messageOf, send } from '../../api.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/dialog.js';
import { announce } from '../../ui/status.js';
import { useTask } from '../../use-task.js';
import { titleOf } from './delivery-title.js';

type State = DeliveryRowView['state'];

/** What sends a message of a state once more: the words of its button, the end of its path, and what it says then. */
const SENDING: Readonly<Record<State, readonly [words: string, path: string, done: string]>> = {
  pending: ['Try now', 'try', 'The message is tried now.'],
  dead: ['Redeliver', 'resend', 'The message is sent again.'],
  delivered: ['Resend', 'resend', 'The message is sent once more, as it was.'],
};

interface DeliveryActionsProps {
  readonly delivery: DeliveryRowView;
  /** True in a list, whose buttons have to say which message they are for. */
  readonly listed?: boolean;
  readonly onDone: (what: 'sent' | 'discarded') => void;
}

/** Buttons that send a message once more, or discard it. */
export function DeliveryActions({ delivery, listed = false, onDone }: DeliveryActionsProps) {
  const { id, tenant, state, waitsFor } = delivery;
  const task = useTask();
  const [asking, ask] = useState(false);
  const [words, path, done] = SENDING[state];
  const labelOf = (action: string): { label?: string } =>
    listed ? { label: `${action} ${titleOf(delivery)}, of ${delivery.server ?? tenant}` } : {};
  const own = ownPath('deliveries', id);

  const sendNow = async (): Promise<void> => {
    try {
      await send('POST', `${own}/${path}`);
      announce(done);
    } catch (error) {
      announce(messageOf(error), 'bad');
    }
    onDone('sent');
  };

  return (
    <span class="row-actions">
      {waitsFor === null && (
        <Button
          kind={listed || state === 'delivered' ? 'plain' : 'primary'}
          busy={task.busy}
          {...labelOf(words)}
          onClick={() => void task.run(sendNow)}
        >
          {words}
        </Button>
      )}
      {state !== 'delivered' && (
        <Button kind={listed ? 'quiet' : 'danger'} {...labelOf('Discard')} onClick={() => ask(true)}>
          Discard
        </Button>
      )}
      <Confirm
        open={asking}
        title={state === 'dead' ? 'Discard this dead letter?' : 'Discard this message?'}
        action="Discard"
        danger
        onClose={() => ask(false)}
        onConfirm={async () => {
          await send('DELETE', own);
          announce(state === 'dead' ? 'The dead letter is discarded.' : 'The message is discarded.');
          onDone('discarded');
        }}
      >
        <p>It is deleted and never sent. This cannot be undone.</p>
      </Confirm>
    </span>
  );
}
