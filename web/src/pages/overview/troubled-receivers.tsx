import type { ReceiversView } from '../../../../src/console/shapes.js';
import { pathTo, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { StateBadge } from '../../ui/badge.js';
import { Link, ServerLink } from '../../ui/link.js';
import { counted } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { TenantName } from '../../ui/tenant-name.js';
import { Id } from '../../ui/text.js';
import { Since } from '../../ui/time.js';

/** The receivers that do not take what is sent; nothing if there are none. */
export function TroubledReceivers({ receivers: { receivers, more } }: { readonly receivers: ReceiversView }) {
  if (receivers.length === 0) return null;
  return (
    <Section title="Receivers in trouble">
      <ul class="troubles">
        {receivers.map((receiver) => (
          <li key={receiver.subscriptionId}>
            <Receiver receiver={receiver} />
          </li>
        ))}
      </ul>
      {more && (
        <p class="quiet-text">
          There are others. <Link to={pathTo('deliveries')}>Deliveries</Link>
        </p>
      )}
    </Section>
  );
}

function Receiver({ receiver }: { readonly receiver: ReceiversView['receivers'][number] }) {
  const { tenant, server, subscriptionId, url, dead, suspended } = receiver;
  return (
    <p class="trouble-line">
      <StateBadge state={suspended === null ? 'dead' : 'suspended'} />
      <span class="trouble-names">
        {url === null ? <Id text={subscriptionId} plain /> : <Id text={url} />} for{' '}
        <ServerLink tenant={tenant} server={server} />
        {isOperator.value && (
          <span class="quiet-text">
            {' '}
            of <TenantName id={tenant} />
          </span>
        )}
      </span>
      {dead > 0 && (
        <Link to={withQuery(pathTo('deliveries'), { subscription: subscriptionId, state: 'dead' })}>
          {counted(dead, 'dead letter')}
        </Link>
      )}
      {suspended !== null && (
        <span class="trouble-since">
          for <Since at={suspended} />
        </span>
      )}
    </p>
  );
}
