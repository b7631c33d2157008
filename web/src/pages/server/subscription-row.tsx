import { useState } from 'preact/hooks';
import type { ServerRuleView, ServerView } from '../../../../src/console/shapes.js';
import type { ExplainedSubscription } from '../../../../src/policy/explain/shapes.js';
import { MuteSubscription } from '../../forms/mute.js';
import { EndSubscription } from '../../forms/removals.js';
import { pathTo, withQuery } from '../../router.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Link } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Id, Prose } from '../../ui/text.js';
import { Since, Time, Until } from '../../ui/time.js';
import type { Editing } from './rule-actions.js';

interface SubscriptionRowProps {
  readonly server: ServerView;
  readonly rule: ServerRuleView;
  readonly subscription: ExplainedSubscription;
  /** undefined if the viewer cannot change subscriptions. */
  readonly editing: Editing | undefined;
}

/** One subscription: its state and why, what it sent, and what keeps it from sending. */
export function SubscriptionRow({ server, rule, subscription, editing }: SubscriptionRowProps) {
  const { subscriptionId, url, state, since, sentence, firings, unsent, mutedUntil, suspended, lastFiring } =
    subscription;
  const [opened, open] = useState<'mute' | 'end' | undefined>();
  const close = (): void => open(undefined);
  const { tenantId, serverId } = server;
  return (
    <div class="subscription">
      <div class="why">
        <StateBadge state={state} />
        <p class="sentence">
          <Prose text={sentence} />
        </p>
      </div>
      <div class="subscription-foot">
        <dl class="details">
          <Detail name="to">
            <Id text={url} />
          </Detail>
          {since !== null && (
            <Detail name={state === 'noData' ? 'silent for' : 'holds for'}>
              <Since at={since} />
            </Detail>
          )}
          {state === 'pending' && since !== null && (
            <Detail name="fires">
              <Ripe at={new Date(Date.parse(since) + (rule.options.for ?? 0) * 1_000).toISOString()} />
            </Detail>
          )}
          {mutedUntil !== undefined && (
            <Until at={mutedUntil}>
              <Detail name="mute">
                <StateBadge state="muted" />, ends <Time at={mutedUntil} />
              </Detail>
            </Until>
          )}
          {suspended !== undefined && (
            <Detail name="suspended">
              <StateBadge state="suspended" /> <Time at={suspended} />; ends when this url is subscribed again
            </Detail>
          )}
          <Detail name="firings">
            <Num value={firings} />
          </Detail>
          {unsent > 0 && (
            <Detail name="not sent">
              <Num value={unsent} />
            </Detail>
          )}
          {lastFiring !== null && (
            <Detail name="last">
              <Time at={lastFiring.at} />{' '}
              <Link
                to={pathTo('deliveries', lastFiring.deliveryId)}
                label={`Delivery of the last firing: ${lastFiring.delivery}`}
              >
                <StateBadge state={lastFiring.delivery} />
              </Link>
            </Detail>
          )}
          <Detail name="messages">
            <Link to={withQuery(pathTo('deliveries'), { subscription: subscriptionId })}>deliveries</Link>
          </Detail>
        </dl>
        {editing && (
          <div class="subscription-buttons">
            <Button kind="quiet" onClick={() => open('mute')}>
              {mutedUntil === undefined ? (
                'Mute'
              ) : (
                <Until at={mutedUntil} after="Mute">
                  Change mute
                </Until>
              )}
            </Button>
            <Button kind="quiet" onClick={() => open('end')}>
              End subscription
            </Button>
          </div>
        )}
      </div>
      {editing && (
        <>
          <MuteSubscription
            open={opened === 'mute'}
            {...{ tenantId, serverId, subscriptionId, url, mutedUntil }}
            ruleName={rule.name}
            onClose={close}
            onDone={editing.changed}
          />
          <EndSubscription
            open={opened === 'end'}
            {...{ tenantId, serverId, subscriptionId, url }}
            ruleName={rule.name}
            onClose={close}
            onDone={editing.changed}
          />
        </>
      )}
    </div>
  );
}

/** The time at which a pending rule has held for long enough. It fires with a measurement. */
function Ripe({ at }: { readonly at: string }) {
  return (
    <Until at={at} after="with the next measurement for which it holds">
      <Time at={at} />
    </Until>
  );
}

function Detail({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
