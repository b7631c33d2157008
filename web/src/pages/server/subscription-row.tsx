import { useState } from 'preact/hooks';
import type { ServerRuleView, ServerSubscriptionView, ServerView } from '../../../../src/console/shapes.js';
import type { AcknowledgementView } from '../../../../src/policy/explain/shapes.js';
import { send } from '../../api.js';
import { Acknowledge, ACKNOWLEDGEABLE, Mute } from '../../forms/many-subscriptions.js';
import { subscriptionPath } from '../../forms/policy-paths.js';
import { EndSubscription } from '../../forms/removals.js';
import { announce } from '../../ui/status.js';
import { useTask } from '../../use-task.js';
import { pathTo, withQuery } from '../../router.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Link, ReceiverLink } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { DetailList } from '../../ui/page.js';
import { Id, nameText, Prose } from '../../ui/text.js';
import { isAhead, Since, Time } from '../../ui/time.js';
import { TaskError } from '../../ui/task-error.js';

interface SubscriptionRowProps {
  readonly server: ServerView;
  readonly rule: ServerRuleView;
  readonly subscription: ServerSubscriptionView;
  /** Called after a change. */
  readonly changed: () => void;
}

/** One subscription: its state and why, what it sent, and what keeps it from sending. */
export function SubscriptionRow({ server, rule, subscription, changed }: SubscriptionRowProps) {
  const { subscriptionId, url, state, since, sentence, firings, unsent } = subscription;
  const { mutedBy, mute, suspended, lastFiring, ack, form } = subscription;
  const { tenantId, serverId } = server;
  const mutedUntil =
    subscription.mutedUntil !== undefined && isAhead(subscription.mutedUntil)
      ? subscription.mutedUntil
      : undefined;
  const [opened, open] = useState<'mute' | 'end' | 'ack'>();
  const dialog = { server, subscription, ruleName: rule.name, onClose: () => open(undefined) };
  return (
    <div class="subscription">
      <div class="why">
        <StateBadge state={state} />
        <p class="sentence">
          <Prose text={sentence} />
        </p>
      </div>
      <div class="subscription-foot">
        <DetailList
          class="details"
          rows={[
            ['to', <ReceiverLink to={url} receiverId={subscription.receiverId} />],
            form.format !== undefined && ['as', formatText(form)],
            form.headers !== undefined && ['headers', <Prose text={form.headers.join(', ')} />],
            since !== null && [state === 'noData' ? 'no data for' : 'holds for', <Since at={since} />],
            state === 'pending' &&
              since !== null && ['fires', ripeText(Date.parse(since) + (rule.options.for ?? 0) * 1_000)],
            ack !== undefined && ['acknowledged', <Ack ack={ack} />],
            mutedUntil !== undefined && [
              'mute',
              <>
                <StateBadge state="muted" />
                {mutedBy !== undefined && (
                  <>
                    {' '}
                    by{' '}
                    <Link to={pathTo('quiet')} class="in-text">
                      {nameText(mutedBy)}
                    </Link>
                  </>
                )}
                , ends <Time at={mutedUntil} />
                {mute !== undefined && (
                  <>
                    , by <Id text={mute.by} plain />: <Prose text={mute.comment} />
                  </>
                )}
              </>,
            ],
            suspended !== undefined && [
              'suspended',
              <>
                <StateBadge state="suspended" /> <Time at={suspended} />; ends when this url is subscribed
                again
              </>,
            ],
            ['firings', <Num value={firings} />],
            unsent > 0 && ['not sent', <Num value={unsent} />],
            lastFiring !== null && [
              'last',
              <>
                <Time at={lastFiring.at} />{' '}
                <Link
                  to={pathTo('deliveries', lastFiring.deliveryId)}
                  label={`Delivery of the last firing: ${lastFiring.delivery}`}
                >
                  <StateBadge state={lastFiring.delivery} />
                </Link>
              </>,
            ],
            [
              'messages',
              <Link to={withQuery(pathTo('deliveries'), { subscription: subscriptionId })}>deliveries</Link>,
            ],
          ]}
        />
        <div class="subscription-buttons">
          {ack !== undefined ? (
            <RemoveAck path={subscriptionPath(tenantId, serverId, subscriptionId, 'ack')} onDone={changed} />
          ) : (
            ACKNOWLEDGEABLE.has(state) && (
              <Button kind="quiet" onClick={() => open('ack')}>
                Acknowledge
              </Button>
            )
          )}
          <Button kind="quiet" onClick={() => open('mute')}>
            {mutedUntil === undefined || mutedBy !== undefined ? 'Mute' : 'Change mute'}
          </Button>
          <Button kind="quiet" onClick={() => open('end')}>
            End subscription
          </Button>
        </div>
      </div>
      <Acknowledge
        open={opened === 'ack'}
        chosen={[{ tenantId, serverId, subscriptionId }]}
        count={1}
        onClose={dialog.onClose}
        onDone={changed}
      />
      <Mute
        key={mute?.comment}
        comment={mute?.comment}
        open={opened === 'mute'}
        chosen={[{ tenantId, serverId, subscriptionId }]}
        count={1}
        about={
          <>
            <p>
              <Id text={rule.name} plain /> to <Id text={url} />
            </p>
            {mutedUntil !== undefined && (
              <p>
                It is muted{mutedBy !== undefined && ' by a quiet time'}. The mute ends{' '}
                <Time at={mutedUntil} />.
              </p>
            )}
          </>
        }
        isMuted={mutedUntil !== undefined && mutedBy === undefined}
        onClose={dialog.onClose}
        onDone={changed}
      />
      <EndSubscription {...dialog} open={opened === 'end'} onDone={changed} />
    </div>
  );
}

/** Says in which format messages are sent. */
function formatText({ format, contentType }: ServerSubscriptionView['form']): string {
  if (format === 'template') return `a template of ${contentType}`;
  return format === 'alertmanager' ? 'alerts of Alertmanager' : 'CloudEvents';
}

/** Who looks after the state, since when, and what they wrote. */
function Ack({ ack }: { readonly ack: AcknowledgementView }) {
  return (
    <>
      by <Id text={ack.by} plain /> <Time at={ack.at} />
      {ack.note !== null && (
        <>
          : <Prose text={ack.note} />
        </>
      )}
    </>
  );
}

/** A button that removes an acknowledgement. */
function RemoveAck({ path, onDone }: { readonly path: string; readonly onDone: () => void }) {
  const task = useTask();
  const remove = (): Promise<void> =>
    task.run(async () => {
      await send('DELETE', path);
      announce('It is not acknowledged any more.');
      onDone();
    });
  return (
    <>
      <TaskError text={task.error} />
      <Button kind="quiet" busy={task.busy} onClick={() => void remove()}>
        Remove acknowledgement
      </Button>
    </>
  );
}

/** Says when a pending rule has held for long enough, ms since the epoch. It fires with a measurement. */
function ripeText(at: number) {
  return isAhead(at) ? <Time at={at} /> : 'with the next measurement for which it holds';
}
