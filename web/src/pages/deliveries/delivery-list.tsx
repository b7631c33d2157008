import { useRef, useState } from 'preact/hooks';
import type { DeliveriesView, DeliveryRowView } from '../../../../src/console/shapes.js';
import type { LiveEvents } from '../../../../src/operator/shapes.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue } from '../../router.js';
import { Answer, Empty } from '../../ui/answer.js';
import { isOperator } from '../../session.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { IdLink, ServerLink } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { TenantLink } from '../../ui/tenant-name.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { titleOf } from './delivery-title.js';
import { steadyRows } from './steady-rows.js';

/** A page of deliveries. It is read again after each event of a delivery. */
export function DeliveryList({ path, isFiltered }: { readonly path: string; readonly isFiltered: boolean }) {
  const query = useQuery<DeliveriesView, 'delivery' | 'firing'>(path, { on: ['delivery', 'firing'] });
  const shown = useRef<readonly DeliveryRowView[]>([]);
  const [held, hold] = useState(false);
  const [, renew] = useState(0);
  useLive(['delivery'], (_, event: LiveEvents['delivery']) => {
    if (shown.current.every(({ id }) => id !== event.deliveryId)) return;
    shown.current = shown.current.map((row) => (row.id === event.deliveryId ? renewed(row, event) : row));
    renew((count) => count + 1);
  });

  return (
    <Answer query={query}>
      {({ deliveries, next }) => {
        const { rows, fresh } = steadyRows(shown.current, deliveries, held);
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
                columns={isOperator.value ? [...columns, tenantColumn] : columns}
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
function renewed(row: DeliveryRowView, { state }: LiveEvents['delivery']): DeliveryRowView {
  return { ...row, state: state as DeliveryRowView['state'] };
}

function NoDeliveries({ isFiltered, more }: { readonly isFiltered: boolean; readonly more: boolean }) {
  if (more) {
    return <Empty title="None on this page." text="Only a part was searched. The next page searches on." />;
  }
  if (isFiltered || queryValue('before') !== '') return <Empty title="No such deliveries." />;
  return (
    <Empty
      title="Nothing has been sent yet."
      text="Each firing of a rule becomes a message here. Delivered ones are kept for a day."
    />
  );
}

const columns: readonly Column<DeliveryRowView>[] = [
  { head: 'State', cell: ({ state }) => <StateBadge state={state} />, fit: true },
  { head: 'Message', cell: (row) => <IdLink to={pathTo('deliveries', row.id)} text={titleOf(row)} /> },
  { head: 'Server', cell: ServerLink },
  {
    head: 'Receiver',
    cell: ({ to, attempts }) => (
      <>
        <Id text={to} />
        {attempts.slice(-1).map(({ detail }) => (
          <span class="last-answer">
            <Id text={detail} plain />
          </span>
        ))}
      </>
    ),
  },
  { head: 'Attempts', cell: ({ attempts }) => <Num value={attempts.length} />, number: true, fit: true },
  { head: 'Since', cell: ({ since }) => <Time at={since} />, fit: true },
];

const tenantColumn: Column<DeliveryRowView> = {
  head: 'Tenant',
  cell: ({ tenant }) => <TenantLink id={tenant} list="deliveries" />,
  fit: true,
};
