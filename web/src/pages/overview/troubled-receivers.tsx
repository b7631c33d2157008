import type { TroubledReceiversView } from '../../../../src/console/shapes.js';
import type { ReceiverView } from '../../../../src/operator/shapes.js';
import { pathTo } from '../../router.js';
import { StateBadge } from '../../ui/badge.js';
import { IdLink, Link } from '../../ui/link.js';
import { counted } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { OfTenant } from '../../ui/tenant-name.js';
import { Since } from '../../ui/time.js';
import { LastAnswer } from '../last-answer.js';

/** The receivers that do not take what is sent; nothing if there are none. */
export function TroubledReceivers({
  receivers: { receivers, more },
}: {
  readonly receivers: TroubledReceiversView;
}) {
  if (receivers.length === 0) return null;
  return (
    <Section title="Receivers in trouble">
      <ul class="troubles">
        {receivers.map((receiver) => (
          <li key={receiver.id}>
            <Receiver receiver={receiver} />
          </li>
        ))}
      </ul>
      {more && (
        <p class="quiet-text">
          There are others. <Link to={pathTo('receivers')}>All receivers</Link>
        </p>
      )}
    </Section>
  );
}

function Receiver({ receiver }: { readonly receiver: ReceiverView }) {
  const { id, tenantId, url, state, since, lastAnswer, waiting, dead } = receiver;
  const held = [
    waiting > 0 && counted(waiting, 'waiting message'),
    dead > 0 && counted(dead, 'dead letter'),
  ].filter((one) => one !== false);
  return (
    <div class="trouble-line">
      <StateBadge state={state} />
      <span class="trouble-names">
        <IdLink to={pathTo('receivers', id)} text={url} />
        <OfTenant id={tenantId} />
        <LastAnswer answer={lastAnswer} />
        {state === 'suspended' && (
          <span class="last-answer">
            A subscription to it is suspended until the tenant subscribes this URL again.
          </span>
        )}
      </span>
      {held.length > 0 && <span>{held.join(', ')}</span>}
      <span class="trouble-since">
        for <Since at={since} />
      </span>
    </div>
  );
}
