import type { ComponentChildren } from 'preact';
import type { FleetRow } from '../../../src/policy/fleet/shapes.js';
import { useState } from 'preact/hooks';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { ChoiceField, TextField } from '../ui/field.js';
import { counted } from '../ui/number.js';
import { announce } from '../ui/status.js';
import { Id } from '../ui/text.js';
import { TaskError } from '../ui/task-error.js';
import { useTask } from '../use-task.js';
import { eachOfMany } from './each-of-many.js';
import { FormButtons } from './form-parts.js';
import { subscriptionPath } from './policy-paths.js';

/** The subscription of a server that a change is about. */
export interface Chosen {
  readonly tenantId: string;
  readonly serverId: string;
  readonly subscriptionId: string;
}

interface ManyProps {
  readonly open: boolean;
  /** Those known already, or the reading of those that are not in sight. */
  readonly chosen: readonly Chosen[] | (() => Promise<readonly Chosen[]>);
  /** Number of the servers. */
  readonly count: number;
  readonly onClose: () => void;
  /** Called after the change, also if some of it failed. */
  readonly onDone: () => void;
}

/** States that can be acknowledged. */
export const ACKNOWLEDGEABLE: ReadonlySet<string> = new Set(['firing', 'pending', 'noData']);

/** Returns the subscriptions that decide the states of servers. A server may have none. */
export function chosenIn(
  servers: readonly (Omit<Chosen, 'subscriptionId'> & { readonly subscriptionId: string | null })[],
): readonly Chosen[] {
  return servers.flatMap(({ tenantId, serverId, subscriptionId }) =>
    subscriptionId === null ? [] : [{ tenantId, serverId, subscriptionId }],
  );
}

/** Returns the subscriptions because of which servers need somebody, and that nobody has acknowledged. */
export function unacknowledgedIn(servers: readonly FleetTrouble[]): readonly Chosen[] {
  return servers.flatMap(({ tenantId, serverId, unacknowledged }) =>
    unacknowledged.map((subscriptionId) => ({ tenantId, serverId, subscriptionId })),
  );
}

type FleetTrouble = Pick<FleetRow, 'tenantId' | 'serverId' | 'unacknowledged'>;

/** A dialog that acknowledges the states of subscriptions, with a note. */
export function Acknowledge(props: ManyProps) {
  const [note, setNote] = useState('');
  return (
    <ChangeMany
      {...props}
      member="ack"
      body={note.trim() === '' ? {} : { note: note.trim() }}
      title="Acknowledge"
      done="acknowledged"
      text="No further firing is sent until the condition ends. A resolved message is still sent."
    >
      <TextField label="Note (may be empty)" value={note} onChange={setNote} />
    </ChangeMany>
  );
}

/** The times of a mute, s. */
const TIMES = [
  ['900', '15 minutes'],
  ['3600', 'One hour'],
  ['28800', '8 hours'],
  ['86400', 'One day'],
  ['604800', 'Seven days'],
] as const;

interface MuteProps extends ManyProps {
  /** What is muted, and until when it is. Without it: servers of a list, each with the rule that is shown of it. */
  readonly about?: ComponentChildren;
  /** True for one that is muted: it can be unmuted. */
  readonly isMuted?: boolean;
  /** The comment of its mute. */
  readonly comment?: string | undefined;
}

/** A dialog that mutes subscriptions for a time, with a comment, or ends the mute of one. */
export function Mute({ about, isMuted = false, comment: before = '', ...props }: MuteProps) {
  const [seconds, setSeconds] = useState('3600');
  const [comment, setComment] = useState(before);
  return (
    <ChangeMany
      {...props}
      member="mute"
      body={{ for: Number(seconds), ...(comment.trim() === '' ? {} : { comment: comment.trim() }) }}
      title="Mute"
      done="muted"
      about={about}
      ending={isMuted ? 'Unmute' : undefined}
      text={
        (about === undefined ? 'The rule that the list shows for each server is muted: it' : 'The rule') +
        ' is evaluated as before, but nothing is sent. Messages of that time are not sent later.'
      }
    >
      <ChoiceField label="For" value={seconds} options={TIMES} onChange={setSeconds} />
      <TextField label="Comment (may be empty)" value={comment} onChange={setComment} />
    </ChangeMany>
  );
}

/** Returns the number of servers that have these subscriptions. */
function serversIn(chosen: readonly Chosen[]): number {
  return new Set(chosen.map(({ tenantId, serverId }) => `${tenantId}/${serverId}`)).size;
}

interface ChangeManyProps extends ManyProps {
  /** What is set of each subscription, and to what. */
  readonly member: 'ack' | 'mute';
  readonly body: object;
  readonly title: string;
  /** What they are afterwards: `muted`. */
  readonly done: string;
  readonly text: string;
  /** In place of the server, or of the number of servers. */
  readonly about?: ComponentChildren;
  /** The words of the button that ends it: `Unmute`; undefined: it cannot be ended here. */
  readonly ending?: string | undefined;
  readonly children: ComponentChildren;
}

function ChangeMany(props: ChangeManyProps) {
  const { open, chosen, count, member, body, title, done, text, about, ending, children } = props;
  const { onClose, onDone } = props;
  const [tried, setTried] = useState<string>();
  const task = useTask();
  const close = (): void => {
    task.forget();
    onClose();
  };
  const change = (method: 'PUT' | 'DELETE'): Promise<void> =>
    task.run(async () => {
      setTried(undefined);
      const all = typeof chosen === 'function' ? await chosen() : chosen;
      const changes = all.map(({ tenantId, serverId, subscriptionId }) => ({
        method,
        path: subscriptionPath(tenantId, serverId, subscriptionId, member),
        ...(method === 'PUT' && { body }),
        serverId,
      }));
      try {
        await eachOfMany(changes, (number) => setTried(`${number} of ${changes.length}`));
      } catch (error) {
        // Some may have succeeded. One alone has not: the page stays as it is, with the dialog on it.
        if (changes.length > 1) onDone();
        throw error;
      }
      onDone();
      const what =
        about === undefined ? counted(serversIn(all), 'server is', 'servers are') : 'The subscription is';
      announce(`${what} ${method === 'PUT' ? done : `not ${done} any more`}.`);
      close();
    });
  return (
    <Dialog open={open} title={title} onClose={close}>
      <form
        class="form"
        noValidate
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault();
          if (!task.busy) void change('PUT');
        }}
      >
        {about}
        <p>
          {about === undefined && (
            <>
              {count === 1 && typeof chosen !== 'function' ? (
                <Id text={chosen[0]!.serverId} plain />
              ) : (
                counted(count, 'server')
              )}
              .{' '}
            </>
          )}
          {text}
        </p>
        {children}
        <TaskError text={task.error} />
        <FormButtons
          busy={task.busy}
          action={task.busy && count > 1 && tried !== undefined ? `${title} (${tried})` : title}
          onCancel={close}
        >
          {ending !== undefined && (
            <Button disabled={task.busy} onClick={() => void change('DELETE')}>
              {ending}
            </Button>
          )}
        </FormButtons>
      </form>
    </Dialog>
  );
}
