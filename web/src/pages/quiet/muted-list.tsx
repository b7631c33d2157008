import { useState } from 'preact/hooks';
import type { MutedRow, MutedView } from '../../../../src/console/shapes.js';
import { get, send } from '../../api.js';
import { subscriptionPath } from '../../forms/policy-paths.js';
import { useQuery } from '../../query.js';
import { withQuery } from '../../router.js';
import { Answer, Empty } from '../../ui/answer.js';
import { Button } from '../../ui/button.js';
import { ServerLink } from '../../ui/link.js';
import { Section } from '../../ui/page.js';
import { announce } from '../../ui/status.js';
import { type Column, Table } from '../../ui/table.js';
import { tenantColumn } from '../../ui/tenant-name.js';
import { Id, nameText, Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { TaskError } from '../../ui/task-error.js';
import { useTask } from '../../use-task.js';

/** Rows that are shown. */
const SHOWN = 100;

/** Subscriptions that are muted for themselves, each with its end. */
export function MutedList({ tenant }: { readonly tenant: string }) {
  const pathFrom = (after: string): string =>
    withQuery('/console/api/muted', { tenant, after, limit: String(SHOWN) });
  // The service stops a long search after a time: it is asked to go on until the list is full or nothing is left.
  const query = useQuery<MutedView>(pathFrom(''), {
    every: 5_000,
    pauses: 50,
    async read(signal, show) {
      const muted: MutedRow[] = [];
      for (let from = ''; ;) {
        const found = await get<MutedView>(pathFrom(from), signal);
        muted.push(...found.muted);
        const view = { muted: muted.slice(0, SHOWN), next: found.next };
        if (found.next === null || muted.length >= SHOWN) return view;
        show(view);
        from = found.next;
      }
    },
  });
  const task = useTask();
  const [chosen, choose] = useState('');
  const unmute = ({ tenantId, serverId, subscriptionId }: MutedRow): void => {
    choose(subscriptionId);
    void task.run(async () => {
      await send('DELETE', subscriptionPath(tenantId, serverId, subscriptionId, 'mute'));
      announce('The subscription is not muted any more.');
      query.reload();
    });
  };
  const columns: readonly Column<MutedRow>[] = [
    {
      head: 'Server',
      cell: ({ tenantId, serverId }) => <ServerLink tenant={tenantId} server={serverId} />,
    },
    { head: 'Rule', cell: ({ ruleName }) => <Id text={ruleName} /> },
    ...tenantColumn('quiet', ({ tenantId }: MutedRow) => tenantId),
    {
      head: 'By',
      cell: ({ by, comment }) => (
        <>
          {by === null ? 'the link of a mail' : <Id text={by} />}
          {comment !== null && (
            <>
              : <Prose text={comment} />
            </>
          )}
        </>
      ),
    },
    { head: 'Ends', cell: ({ until }) => <Time at={until} />, fit: true },
    {
      head: 'Actions',
      cell: (row) => (
        <span class="row-buttons">
          <Button
            kind="quiet"
            label={`Unmute ${nameText(row.ruleName)} on ${nameText(row.serverId)}`}
            busy={task.busy && chosen === row.subscriptionId}
            onClick={() => unmute(row)}
          >
            Unmute
          </Button>
        </span>
      ),
      fit: true,
    },
  ];
  return (
    <Answer query={query}>
      {({ muted, next }) => (
        <Section title="Muted individually" note={next === null ? undefined : `the first ${SHOWN}`}>
          <TaskError text={task.error} />
          <Table
            label="Subscriptions that are muted individually"
            columns={columns}
            rows={muted}
            rowKey={({ subscriptionId }) => subscriptionId}
            empty={
              <Empty
                title="No subscription is muted individually."
                text="The page of a server, and the link in an e-mail, mute one subscription."
              />
            }
          />
        </Section>
      )}
    </Answer>
  );
}
