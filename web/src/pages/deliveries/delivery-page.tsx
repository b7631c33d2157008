import type { DeliveryView } from '../../../../src/console/shapes.js';
import { useQuery } from '../../query.js';
import { navigate, pathTo, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { Answer } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { CopiedId } from '../../ui/copy.js';
import { IdLink, Link, ReceiverLink, ServerLink } from '../../ui/link.js';
import { DetailList, Page, Section } from '../../ui/page.js';
import { TenantName } from '../../ui/tenant-name.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { Attempts } from './attempts.js';
import { DeliveryActions } from './delivery-actions.js';
import { titleOf } from './delivery-title.js';
import { Message } from './message.js';

/** One delivery: its message, every attempt with its answer, what comes next. */
export function DeliveryPage({ id }: { readonly id: string }) {
  const query = useQuery<DeliveryView, 'delivery'>(`/console/api/deliveries/${encodeURIComponent(id)}`, {
    on: ['delivery'],
    concerns: ({ deliveryId }) => deliveryId === id,
  });
  const { data } = query;
  const heading = data === undefined ? 'Delivery' : <Id text={titleOf(data)} />;
  return (
    <Page
      title="Delivery"
      heading={heading}
      crumbs={[{ to: pathTo('deliveries'), text: 'Deliveries' }]}
      actions={
        data !== undefined && (
          <DeliveryActions
            delivery={data}
            onDone={(what) => (what === 'sent' ? query.reload() : navigate(pathTo('deliveries')))}
          />
        )
      }
    >
      <Answer query={query}>
        {(delivery) => (
          <>
            {delivery.state === 'dead' && (
              <p class="lead">It is not sent any more. Redeliver it once its receiver works again.</p>
            )}
            <DeliveryDetails delivery={delivery} />
            <Section title="Attempts" note={attemptsNote(delivery)}>
              <Attempts attempts={delivery.attempts} />
            </Section>
            <Message delivery={delivery} />
          </>
        )}
      </Answer>
    </Page>
  );
}

function attemptsNote({ attempts, nextAttemptAt, waitsFor }: DeliveryView) {
  if (waitsFor !== null) return 'None yet: an earlier message of its subscription is not delivered yet';
  return nextAttemptAt === null ? undefined : (
    <>
      {attempts.length} so far, the next one <Time at={nextAttemptAt} />
    </>
  );
}

function DeliveryDetails({ delivery }: { readonly delivery: DeliveryView }) {
  const { id, tenant, server, subscriptionId, transactionHash, state, to, receiverId, since } = delivery;
  const { nextAttemptAt, waitsFor } = delivery;
  return (
    <DetailList
      rows={[
        ['State', <StateBadge state={state} />],
        ['To', <ReceiverLink to={to} receiverId={receiverId} />],
        ['Since', <Time at={since} />],
        nextAttemptAt !== null && ['Next attempt', <Time at={nextAttemptAt} />],
        waitsFor !== null && ['Waits for', <IdLink to={pathTo('deliveries', waitsFor)} text={waitsFor} />],
        server !== undefined && ['Server', <ServerLink tenant={tenant} server={server} />],
        subscriptionId !== undefined && [
          'Subscription',
          <IdLink
            to={withQuery(pathTo('deliveries'), { subscription: subscriptionId })}
            text={subscriptionId}
          />,
        ],
        transactionHash !== undefined && [
          'Receipt',
          <IdLink to={pathTo('ledger', 'receipts', transactionHash)} text={transactionHash} />,
        ],
        ['Id', <CopiedId text={id} label="Delivery id" />],
        isOperator.value && ['Tenant', <TenantName id={tenant} />],
        isOperator.value && ['Actor', <Link to={pathTo('actors', 'delivery', tenant, id)}>raw context</Link>],
      ]}
    />
  );
}
