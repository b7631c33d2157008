import type { DeliveryRowView } from '../../../../src/console/shapes.js';
import { Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { type Column, Table } from '../../ui/table.js';
import { Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';

type Attempt = DeliveryRowView['attempts'][number] & { readonly number: number };

/** The newest attempts of a delivery with their answers, newest first. */
export function Attempts({ attempts }: Pick<DeliveryRowView, 'attempts'>) {
  if (attempts.length === 0) {
    return (
      <Empty title="None yet: the message waits behind other messages, or its first attempt is under way." />
    );
  }
  const rows = attempts.map((attempt, i) => ({ ...attempt, number: i + 1 })).toReversed();
  return <Table label="Attempts" columns={columns} rows={rows} rowKey={({ number }) => number} />;
}

const columns: readonly Column<Attempt>[] = [
  { head: 'Result', cell: ({ result }) => <StateBadge state={result} />, fit: true },
  { head: 'Answer', cell: ({ detail }) => <Prose text={detail} /> },
  { head: 'Time', cell: ({ at }) => <Time at={at} />, fit: true },
];
