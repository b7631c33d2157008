import { useState } from 'preact/hooks';
import { send } from '../api.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { announce } from '../ui/status.js';
import { Id } from '../ui/text.js';
import { Time, Until } from '../ui/time.js';
import { mutePath } from './policy-paths.js';

/** The times to choose from, s. */
const TIMES: readonly (readonly [label: string, seconds: number])[] = [
  ['One hour', 3_600],
  ['One day', 86_400],
  ['Seven days', 604_800],
];

interface MuteProps {
  readonly open: boolean;
  readonly tenantId: string;
  readonly serverId: string;
  readonly subscriptionId: string;
  readonly url: string;
  readonly ruleName: string;
  /** ISO time; undefined if the subscription is not muted. */
  readonly mutedUntil: string | undefined;
  /** Called when the dialog closes. */
  readonly onClose: () => void;
  /** Called after a change. */
  readonly onDone: () => void;
}

/** A dialog that mutes a subscription for a time, or ends its mute. */
export function MuteSubscription(props: MuteProps) {
  const { open, tenantId, serverId, subscriptionId, url, ruleName, mutedUntil, onDone } = props;
  const [busy, setBusy] = useState('');
  const [error, setError] = useState('');
  const path = mutePath(tenantId, serverId, subscriptionId);
  const close = (): void => {
    setError('');
    props.onClose();
  };
  const change = async (label: string, asking: () => Promise<unknown>, done: string): Promise<void> => {
    setBusy(label);
    setError('');
    try {
      await asking();
      announce(done);
      close();
      onDone();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy('');
    }
  };
  const unmute = 'Unmute';
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
        {mutedUntil !== undefined && (
          <Until at={mutedUntil}>
            <p>
              It is muted. The mute ends <Time at={mutedUntil} />.
            </p>
          </Until>
        )}
      </div>
      {error !== '' && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <div class="button-row">
        {TIMES.map(([label, seconds]) => (
          <Button
            key={label}
            busy={busy === label}
            disabled={busy !== '' && busy !== label}
            onClick={() =>
              void change(label, () => send('PUT', path, { for: seconds }), 'The subscription is muted.')
            }
          >
            {label}
          </Button>
        ))}
        {mutedUntil !== undefined && (
          <Button
            kind="primary"
            busy={busy === unmute}
            disabled={busy !== '' && busy !== unmute}
            onClick={() =>
              void change(unmute, () => send('DELETE', path), 'The subscription is not muted any more.')
            }
          >
            {unmute}
          </Button>
        )}
      </div>
      <div class="dialog-buttons">
        <Button onClick={close}>Cancel</Button>
      </div>
    </Dialog>
  );
}
