import type { ReceiversView, ReceiverView } from '../../../../src/operator/shapes.js';
import { ownPath } from '../../api-paths.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { Answer, Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { IdLink } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Page, Section } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { tenantColumn } from '../../ui/tenant-name.js';
import { Since, Time } from '../../ui/time.js';
import { ChoiceFilter, Filters, TenantFilter } from '../filters.js';
import { LastAnswer } from '../last-answer.js';

const NAMES = ['state', 'tenant', 'after'] as const;
const STATES = ['suspended', 'failing', 'ok'];
const EVERY_MS = 5_000;

/** The urls that webhooks go to, those in trouble first. */
export function ReceiversPage() {
  const filters = Object.fromEntries(NAMES.map((name) => [name, queryValue(name)]));
  const path = withQuery(ownPath('receivers'), filters);
  const query = useQuery<ReceiversView>(path, { on: ['receiver', 'delivery'], every: EVERY_MS });
  const isFiltered = filters['state'] !== '' || filters['tenant'] !== '';
  return (
    <Page title="Receivers">
      <Filters>
        <ChoiceFilter name="state" label="State" all="all states" choices={STATES} />
        {isOperator.value && <TenantFilter />}
      </Filters>
      <Answer query={query}>
        {({ receivers, next }) => (
          <Section title="Receivers of webhooks" note="in trouble first, the longest first">
            <Table
              label="Receivers"
              columns={[...columns, ...tenantColumn('receivers', ({ tenantId }: ReceiverView) => tenantId)]}
              rows={receivers}
              rowKey={({ id }) => id}
              empty={<NoReceivers isFiltered={isFiltered} />}
            />
            <Pager name="after" next={next} />
          </Section>
        )}
      </Answer>
    </Page>
  );
}

function NoReceivers({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No such receivers." />;
  return (
    <Empty title="There is no receiver yet." text="Each url that a subscription sends to is listed here." />
  );
}

const columns: readonly Column<ReceiverView>[] = [
  {
    head: 'State',
    cell: ({ state, since }) => (
      <>
        <StateBadge state={state} /> <Since at={since} />
      </>
    ),
    fit: true,
  },
  {
    head: 'Receiver',
    cell: ({ id, url, lastAnswer }) => (
      <>
        <IdLink to={pathTo('receivers', id)} text={url} />
        <LastAnswer answer={lastAnswer} />
      </>
    ),
  },
  { head: 'Waiting', cell: ({ waiting }) => <Num value={waiting} />, number: true, fit: true },
  { head: 'Dead letters', cell: ({ dead }) => <Num value={dead} />, number: true, fit: true },
  { head: 'Next try', cell: ({ next }) => <Time at={next} />, fit: true },
  {
    head: 'Last hour',
    cell: ({ lastHour: { tries, successes } }) => (
      <>
        <Num value={successes} /> of <Num value={tries} />
      </>
    ),
    fit: true,
  },
];
