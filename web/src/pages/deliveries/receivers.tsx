import { useState } from 'preact/hooks';
import type { ReceiversView } from '../../../../src/console/shapes.js';
import { send } from '../../api.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/dialog.js';
import { Failed } from '../../ui/answer.js';
import { Link, ServerLink } from '../../ui/link.js';
import { counted, Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { announce } from '../../ui/status.js';
import { type Column, Table } from '../../ui/table.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';

type Receiver = ReceiversView['receivers'][number];

const EVERY_MS = 15_000;

/** Receivers with dead letters or a suspension. Nothing if there are none. */
export function Receivers() {
  const list = withQuery('/console/api/receivers', { tenant: queryValue('tenant') });
  const query = useQuery<ReceiversView>(list, { on: ['delivery'], every: EVERY_MS });
  const [asked, ask] = useState<Receiver>();
  const [open, setOpen] = useState(false);
  const { data, error, reload } = query;
  if (error !== undefined && data === undefined) return <Failed message={error.message} again={reload} />;
  if (data === undefined || (data.receivers.length === 0 && !open)) return null;

  const redeliver = (receiver: Receiver): void => {
    ask(receiver);
    setOpen(true);
  };
  return (
    <Section title="Receivers in trouble" note={data.more ? 'the first ones' : undefined}>
      <Table
        label="Receivers in trouble"
        columns={isOperator.value ? [...columns, redeliverColumn(redeliver)] : columns}
        rows={data.receivers}
        rowKey={({ tenant, subscriptionId }) => `${tenant}/${subscriptionId}`}
      />
      {asked !== undefined && (
        <Confirm
          open={open}
          title={`Send ${counted(asked.dead, 'dead letter')} again?`}
          action={`Redeliver ${asked.dead.toLocaleString('en')}`}
          onClose={() => setOpen(false)}
          onConfirm={async () => {
            const body = { subscriptionId: asked.subscriptionId };
            const path = '/operator/deliveries/redeliver';
            const { redelivered } = await send<{ redelivered: number }>('POST', path, body);
            announce(`${counted(redelivered, 'dead letter')} on the way again.`);
            reload();
          }}
        >
          <p>
            All dead letters of the subscription go to <Id text={asked.url ?? 'their receivers'} /> again.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

const columns: readonly Column<Receiver>[] = [
  {
    head: 'Receiver',
    cell: ({ url }) =>
      url === null ? <span class="quiet-text">its subscription has ended</span> : <Id text={url} />,
  },
  { head: 'Server', cell: ServerLink },
  {
    head: 'State',
    cell: ({ suspended }) =>
      suspended === null ? (
        <StateBadge state="dead letters" tone="bad" />
      ) : (
        <>
          <StateBadge state="suspended" /> <Time at={suspended} />
        </>
      ),
  },
  {
    head: 'Dead letters',
    cell: ({ dead, subscriptionId }) => (
      <Link to={withQuery(pathTo('deliveries'), { state: 'dead', subscription: subscriptionId })}>
        <Num value={dead} />
      </Link>
    ),
    number: true,
    fit: true,
  },
];

function redeliverColumn(redeliver: (receiver: Receiver) => void): Column<Receiver> {
  return {
    head: 'Redeliver',
    cell: (receiver) => (
      <Button
        disabled={receiver.dead === 0}
        label={`Redeliver all of ${receiver.server ?? receiver.subscriptionId}`}
        onClick={() => redeliver(receiver)}
      >
        Redeliver all
      </Button>
    ),
    fit: true,
  };
}
