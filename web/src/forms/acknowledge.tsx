import { useState } from 'preact/hooks';
import { messageOf, send } from '../api.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { counted } from '../ui/number.js';
import { announce } from '../ui/status.js';
import { Id } from '../ui/text.js';
import { useTask } from '../use-task.js';
import { subscriptionPath } from './policy-paths.js';

/** A subscription whose state somebody looks after. */
export interface Acknowledged {
  readonly tenantId: string;
  readonly serverId: string;
  readonly subscriptionId: string;
}

interface AcknowledgeProps {
  readonly open: boolean;
  readonly rows: readonly Acknowledged[];
  readonly onClose: () => void;
  /** Called after the change, also if some of it failed. */
  readonly onDone: () => void;
}

/** Requests under way at a time. */
const AT_ONCE = 4;

/** A dialog that acknowledges the states of subscriptions, with a note. */
export function Acknowledge({ open, rows, onClose, onDone }: AcknowledgeProps) {
  const [note, setNote] = useState('');
  const [done, setDone] = useState(0);
  const task = useTask();
  const close = (): void => {
    task.forget();
    onClose();
  };
  const acknowledge = (): Promise<void> =>
    task.run(async () => {
      const failed: string[] = [];
      const waiting = rows.values();
      setDone(0);
      const work = async (): Promise<void> => {
        for (const { tenantId, serverId, subscriptionId } of waiting) {
          const path = subscriptionPath(tenantId, serverId, subscriptionId, 'ack');
          const body = note.trim() === '' ? {} : { note: note.trim() };
          await send('PUT', path, body).catch((error: unknown) => {
            failed.push(`${serverId}: ${messageOf(error)}`);
          });
          setDone((before) => before + 1);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      onDone();
      if (failed.length > 0) throw new Error(failedText(failed, rows.length));
      announce(rows.length === 1 ? 'It is acknowledged.' : `${rows.length} are acknowledged.`);
      setNote('');
      close();
    });
  return (
    <Dialog open={open} title="Acknowledge" onClose={close}>
      <form
        class="form"
        noValidate
        aria-label="Acknowledge"
        onSubmit={(event) => {
          event.preventDefault();
          if (!task.busy) void acknowledge();
        }}
      >
        <p>
          {rows.length === 1 ? (
            <>
              You look after <Id text={rows[0]!.serverId} plain />.
            </>
          ) : (
            `You look after ${counted(rows.length, 'server')}.`
          )}{' '}
          Until this is over no further message is sent that it fires; that it is resolved is sent.
        </p>
        <TextField label="Note (may be empty)" value={note} onInput={setNote} />
        {task.error !== undefined && (
          <p class="error" role="alert">
            {task.error}
          </p>
        )}
        <div class="dialog-buttons">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary" busy={task.busy}>
            {task.busy && rows.length > 1 ? `Acknowledge (${done} of ${rows.length})` : 'Acknowledge'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Failures that are named. */
const NAMED = 3;

function failedText(failed: readonly string[], count: number): string {
  if (count === 1) return failed[0]!;
  const rest = failed.length > NAMED ? ` And ${failed.length - NAMED} more.` : '';
  return `${failed.length} of ${count} failed. ${failed.slice(0, NAMED).join(' ')}${rest}`;
}
