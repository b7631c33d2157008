import type { AcceptedRowView, AcceptedView } from '../../../../src/ledger/shapes.js';
import { useQuery } from '../../query.js';
import { queryValue, withQuery } from '../../router.js';
import { Answer } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { counted, Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { Id, Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';

/** The parameter of the page's address with the page of this list. */
const PAGE = 'operations';

/** The notifications of brokers that wait to be recorded, and those that failed. Nothing where there are none. */
export function AcceptedOperations() {
  const path = withQuery('/console/api/ledger/operations', { before: queryValue(PAGE) });
  const accepted = useQuery<AcceptedView>(path, { on: ['receipt'], every: 5_000 });
  return (
    <Answer query={accepted}>
      {({ pending, failed, operations, next }) =>
        pending + failed === 0 && operations.length === 0 ? null : (
          <Section
            title="Not recorded yet"
            note={`notifications of brokers: ${pending} pending${failed === 0 ? '' : `, ${failed} failed`}`}
          >
            <Table
              label="Notifications that are not recorded yet"
              columns={COLUMNS}
              rows={operations}
              rowKey={({ operation }) => operation}
              busy={accepted.loading}
              empty={<p class="quiet-text">No more on this page.</p>}
            />
            <Pager name={PAGE} next={next} />
          </Section>
        )
      }
    </Answer>
  );
}

const COLUMNS: readonly Column<AcceptedRowView>[] = [
  {
    head: 'Operation',
    cell: ({ operation, notificationId }) => (
      <>
        <Id text={operation} />
        <span class="quiet-text">
          {' '}
          of <Id text={notificationId} />
        </span>
      </>
    ),
  },
  {
    head: 'State',
    fit: true,
    cell: ({ state }) => <StateBadge state={state} tone={state === 'failed' ? 'bad' : 'warn'} />,
  },
  { head: 'Entities', number: true, fit: true, cell: ({ entities }) => <Num value={entities} /> },
  { head: 'Tenant', fit: true, cell: ({ tenant }) => (tenant === null ? '–' : <Id text={tenant} />) },
  { head: 'Since', fit: true, cell: ({ since }) => <Time at={since} /> },
  {
    head: 'Why',
    cell: ({ detail, tries, state }) =>
      detail === null ? (
        '–'
      ) : (
        <>
          <Prose text={detail} />
          {state === 'pending' && <span class="quiet-text"> ({counted(tries, 'try', 'tries')})</span>}
        </>
      ),
  },
];
