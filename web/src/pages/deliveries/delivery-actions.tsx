import { useState } from 'preact/hooks';
import type { DeliveryView } from '../../../../src/console/shapes.js';
import { ApiError, send } from '../../api.js';
import { navigate, pathTo } from '../../router.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/dialog.js';
import { announce } from '../../ui/status.js';

interface DeliveryActionsProps {
  readonly delivery: DeliveryView;
  readonly onDone: () => void;
}

/** Buttons of operators that send a dead letter again, or discard it. */
export function DeliveryActions({ delivery: { id, tenant, state }, onDone }: DeliveryActionsProps) {
  const [busy, setBusy] = useState(false);
  const [asking, ask] = useState(false);
  const path = `/operator/deliveries/${encodeURIComponent(tenant)}/${encodeURIComponent(id)}/redelivery`;

  const redeliver = async (): Promise<void> => {
    setBusy(true);
    try {
      await send('POST', path);
      announce('The message is on its way again.');
      onDone();
    } catch (error) {
      announce(error instanceof ApiError ? error.message : String(error), 'bad');
    } finally {
      setBusy(false);
    }
  };

  if (state !== 'dead') return null;
  return (
    <>
      <Button kind="primary" busy={busy} onClick={() => void redeliver()}>
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
