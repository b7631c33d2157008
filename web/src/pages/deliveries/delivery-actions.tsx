import { useState } from 'preact/hooks';
import type { DeliveryView } from '../../../../src/console/shapes.js';
import { messageOf, send } from '../../api.js';
import { navigate, pathTo } from '../../router.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/dialog.js';
import { announce } from '../../ui/status.js';
import { useTask } from '../../use-task.js';

/** Buttons of operators that send a dead letter again, or discard it. */
export function DeliveryActions(props: { readonly delivery: DeliveryView; readonly onDone: () => void }) {
  const { id, tenant, state } = props.delivery;
  const task = useTask();
  const [asking, ask] = useState(false);
  const path = `/operator/deliveries/${encodeURIComponent(tenant)}/${encodeURIComponent(id)}/redelivery`;

  const redeliver = (): Promise<void> =>
    send('POST', path).then(
      () => {
        announce('The message is on its way again.');
        props.onDone();
      },
      (error: unknown) => announce(messageOf(error), 'bad'),
    );

  if (state !== 'dead') return null;
  return (
    <>
      <Button kind="primary" busy={task.busy} onClick={() => void task.run(redeliver)}>
        Redeliver
      </Button>
      <Button kind="danger" onClick={() => ask(true)}>
        Discard
      </Button>
      <Confirm
        open={asking}
        title="Discard this dead letter?"
        action="Discard"
        danger
        onClose={() => ask(false)}
        onConfirm={async () => {
          await send('DELETE', `/operator/deliveries/${encodeURIComponent(id)}`);
          announce('The dead letter is discarded.');
          navigate(pathTo('deliveries'));
        }}
      >
        <p>Its message is deleted and never sent. That cannot be taken back.</p>
      </Confirm>
    </>
  );
}
