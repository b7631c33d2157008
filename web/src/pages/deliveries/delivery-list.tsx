import { useRef, useState } from 'preact/hooks';
import type { DeliveriesView, DeliveryRowView } from '../../../../src/console/shapes.js';
import type { LiveEvents } from '../../../../src/operator/shapes.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue } from '../../router.js';
import { Answer, Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { IdLink, ServerLink, ReceiverLink } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { tenantColumn } from '../../ui/tenant-name.js';
import { Time } from '../../ui/time.js';
import { DeliveryActions } from './delivery-actions.js';
import { titleOf } from './delivery-title.js';
import { steadyRows } from './steady-rows.js';
import { LastAnswer } from '../last-answer.js';

/** The states of deliveries that lists choose from. */
export const DELIVERY_STATES: readonly DeliveryRowView['state'][] = ['pending', 'dead', 'delivered'];

/** Rows of a page. */
export const PAGE_SIZE = '50';
/** Other nodes have events of their own, ms. */
const EVERY_MS = 10_000;

interface DeliveryListProps {
  /** Of the list, with its filters and its limit. */
  readonly path: string;
  readonly isFiltered: boolean;
  /** True where all messages are for one receiver, which the page names. */
  readonly ofReceiver?: boolean;
  /** Called after somebody has changed a message. */
  readonly onChange?: () => void;
}

/** A page of deliveries. It is read again after each event of a delivery, and rows that leave the list go. */
export function DeliveryList({ path, isFiltered, ofReceiver = false, onChange }: DeliveryListProps) {
  const query = useQuery<DeliveriesView, 'delivery' | 'firing'>(path, {
    on: ['delivery', 'firing'],
    every: EVERY_MS,
  });
  const shown = useRef<readonly DeliveryRowView[]>([]);
  const [held, hold] = useState(false);
  const [, renew] = useState(0);
  const wanted = queryValue('state');
  useLive(['delivery'], (_, { deliveryId, state }: LiveEvents['delivery']) => {
    if (shown.current.every(({ id }) => id !== deliveryId)) return;
    const stays = wanted === '' ? state !== 'discarded' : state === wanted;
    shown.current = stays
      ? shown.current.map((row) => (row.id === deliveryId ? renewed(row, state) : row))
      : shown.current.filter(({ id }) => id !== deliveryId);
    renew((count) => count + 1);
  });
  const changed = (): void => {
    query.reload();
    onChange?.();
  };
  const actions: Column<DeliveryRowView> = {
    head: 'Actions',
    cell: (row) => <DeliveryActions delivery={row} listed onDone={changed} />,
    fit: true,
  };
  const columns = [
    ...FIRST,
    ofReceiver ? ANSWER : RECEIVER,
    ...LAST,
    ...(ofReceiver ? [] : tenantColumn('deliveries', ({ tenant }: DeliveryRowView) => tenant)),
    actions,
  ];

  return (
    <Answer query={query}>
      {({ deliveries, next }) => {
        const { rows, fresh } = steadyRows(shown.current, deliveries, held, next);
        shown.current = rows;
        return (
          <div
            onPointerEnter={() => hold(true)}
            onPointerLeave={(event) => hold(event.currentTarget.contains(document.activeElement))}
            onFocusIn={() => hold(true)}
            onFocusOut={(event) => hold(event.currentTarget.matches(':hover'))}
          >
            <Section
              title="Messages"
              note="newest first"
              actions={
                <span role="status">
                  {fresh > 0 && (
                    <Button
                      onClick={() => {
                        shown.current = [];
                        renew((count) => count + 1);
                      }}
                    >
                      {fresh.toLocaleString('en')} new
                    </Button>
                  )}
                </span>
              }
            >
              <Table
                label="Deliveries"
                columns={columns}
                rows={rows}
                rowKey={({ id }) => id}
                empty={<NoDeliveries isFiltered={isFiltered} more={next !== null} />}
              />
              <Pager name="before" next={next} />
            </Section>
          </div>
        );
      }}
    </Answer>
  );
}

/** Returns a row with what an event says: its page's next answer may no longer have it. */
function renewed(row: DeliveryRowView, state: string): DeliveryRowView {
  return { ...row, state: state as DeliveryRowView['state'] };
}

function NoDeliveries({ isFiltered, more }: { readonly isFiltered: boolean; readonly more: boolean }) {
  if (more) {
    return (
      <Empty
        title="None on this page."
        text="Only a part was searched. The next page continues the search."
      />
    );
  }
  if (isFiltered || queryValue('before') !== '') return <Empty title="No such deliveries." />;
  return (
    <Empty
      title="Nothing has been sent yet."
      text="Each firing of a rule becomes a message here. Delivered ones are kept for a day."
    />
  );
}

const FIRST: readonly Column<DeliveryRowView>[] = [
  { head: 'State', cell: ({ state }) => <StateBadge state={state} />, fit: true },
  { head: 'Message', cell: (row) => <IdLink to={pathTo('deliveries', row.id)} text={titleOf(row)} /> },
  { head: 'Server', cell: ServerLink },
];

const RECEIVER: Column<DeliveryRowView> = {
  head: 'Receiver',
  cell: ({ to, receiverId, attempts }) => (
    <>
      <ReceiverLink to={to} receiverId={receiverId} />
      <LastAnswer answer={attempts.at(-1)} />
    </>
  ),
};

const ANSWER: Column<DeliveryRowView> = {
  head: 'Last answer',
  cell: ({ attempts }) => (attempts.length === 0 ? 'none yet' : <LastAnswer answer={attempts.at(-1)} />),
};

const LAST: readonly Column<DeliveryRowView>[] = [
  { head: 'Attempts', cell: ({ attempts }) => <Num value={attempts.length} />, number: true, fit: true },
  {
    head: 'Next',
    cell: ({ nextAttemptAt, waitsFor }) =>
      waitsFor === null ? <Time at={nextAttemptAt} /> : 'after an earlier one',
    fit: true,
  },
  { head: 'Since', cell: ({ since }) => <Time at={since} />, fit: true },
];
