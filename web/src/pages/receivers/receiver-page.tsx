import type { ReceiverView } from '../../../../src/operator/shapes.js';
import { ownPath } from '../../api-paths.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { Answer } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { CopiedId } from '../../ui/copy.js';
import { counted, Num } from '../../ui/number.js';
import { DetailList, Page } from '../../ui/page.js';
import { TenantName } from '../../ui/tenant-name.js';
import { Id, Prose } from '../../ui/text.js';
import { Since, Time } from '../../ui/time.js';
import { DELIVERY_STATES, DeliveryList, PAGE_SIZE } from '../deliveries/delivery-list.js';
import { ChoiceFilter, Filters, TextFilter } from '../filters.js';
import { ReceiverActions } from './receiver-actions.js';

const NAMES = ['state', 'answer', 'before'] as const;
const EVERY_MS = 5_000;

/** One receiver: its health, what it answered, what waits for it, and its messages. */
export function ReceiverPage({ id }: { readonly id: string }) {
  const query = useQuery<ReceiverView, 'receiver' | 'delivery'>(ownPath('receivers', id), {
    on: ['receiver', 'delivery'],
    every: EVERY_MS,
  });
  const { data } = query;
  const filters = Object.fromEntries(NAMES.map((name) => [name, queryValue(name)]));
  const path = withQuery('/console/api/deliveries', { ...filters, receiver: id, limit: PAGE_SIZE });
  const isFiltered = filters['state'] !== '' || filters['answer'] !== '';
  return (
    <Page
      title="Receiver"
      heading={data === undefined ? 'Receiver' : <Id text={data.url} />}
      crumbs={[{ to: pathTo('receivers'), text: 'Receivers' }]}
      actions={data !== undefined && <ReceiverActions receiver={data} onDone={query.reload} />}
    >
      <Answer query={query}>
        {(receiver) => (
          <>
            <Health receiver={receiver} />
            <Details receiver={receiver} />
          </>
        )}
      </Answer>
      <Filters>
        <ChoiceFilter name="state" label="State" all="all states" choices={DELIVERY_STATES} />
        <TextFilter name="answer" label="Last answer" />
      </Filters>
      <DeliveryList key={path} path={path} isFiltered={isFiltered} ofReceiver onChange={query.reload} />
    </Page>
  );
}

/** What its state means, as a sentence. */
function Health({ receiver: { state, since, waiting, next } }: { readonly receiver: ReceiverView }) {
  if (state === 'ok') return null;
  return (
    <p class="lead">
      {state === 'suspended' ? (
        <>
          <Since at={since} /> ago it answered 410, or refused 100 messages in a row, and its subscription was
          suspended. Nothing more is sent for a suspended subscription, even if the receiver answers again,
          until the tenant subscribes this URL again.
        </>
      ) : (
        <>
          No message has been delivered for <Since at={since} />.
        </>
      )}{' '}
      {waiting > 0 && <>{counted(waiting, 'message waits', 'messages wait')}. </>}
      {next !== null && (
        <>
          The next try is <Time at={next} />.
        </>
      )}
    </p>
  );
}

function Details({ receiver }: { readonly receiver: ReceiverView }) {
  const { id, tenantId, url, state, since, lastAnswer, waiting, dead, next, lastHour } = receiver;
  return (
    <DetailList
      rows={[
        [
          'State',
          <>
            <StateBadge state={state} /> for <Since at={since} />
          </>,
        ],
        lastAnswer !== null && [
          'Last answer',
          <>
            <Prose text={lastAnswer.detail} />, <Time at={lastAnswer.at} />
          </>,
        ],
        ['Waiting', <Num value={waiting} />],
        ['Dead letters', <Num value={dead} />],
        next !== null && ['Next try', <Time at={next} />],
        [
          'Last hour',
          <>
            <Num value={lastHour.successes} /> of {counted(lastHour.tries, 'try', 'tries')} with success
          </>,
        ],
        ['URL', <CopiedId text={url} label="URL" />],
        ['Id', <CopiedId text={id} label="Receiver id" />],
        isOperator.value && ['Tenant', <TenantName id={tenantId} />],
      ]}
    />
  );
}
