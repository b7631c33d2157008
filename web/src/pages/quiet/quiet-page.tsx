import { useState } from 'preact/hooks';
import type { QuietTimesView } from '../../../../src/console/shapes.js';
import { send } from '../../api.js';
import { useQuery } from '../../query.js';
import { queryValue, setQuery, withQuery } from '../../router.js';
import { isOperator, viewer } from '../../session.js';
import { Answer, Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/dialog.js';
import { Page, Section } from '../../ui/page.js';
import { announce } from '../../ui/status.js';
import { type Column, Table } from '../../ui/table.js';
import { idOfTenant, nameOfTenant, tenantColumn } from '../../ui/tenant-name.js';
import { Id, nameText, Prose } from '../../ui/text.js';
import { isAhead, Time } from '../../ui/time.js';
import { Filters, TenantFilter } from '../filters.js';
import { MutedList } from './muted-list.js';
import { whenText } from './quiet-draft.js';
import { QuietForm } from './quiet-form.js';
import { quietPath } from './quiet-path.js';

type Row = QuietTimesView['quiet'][number];

/** Quiet times, and what else is muted. `?servers=web-*` opens the form with these patterns. */
export function QuietPage() {
  const person = viewer.value!;
  const tenant = person.kind === 'tenant' ? person.tenantId : queryValue('tenant');
  const servers = queryValue('servers');
  const [open, setOpen] = useState(servers !== '');
  const [chosen, choose] = useState<Row>();
  const [changed, change] = useState<Row>();
  const filter = person.kind === 'tenant' ? undefined : tenant;
  const query = useQuery<QuietTimesView>(withQuery('/console/api/quiet', { tenant: filter }), {
    every: 5_000,
  });
  const done = (): void => {
    setOpen(false);
    change(undefined);
    setQuery({ servers: '' });
    query.reload();
  };
  return (
    <Page
      title="Quiet times"
      actions={
        !open &&
        changed === undefined && (
          <Button kind="primary" onClick={() => setOpen(true)}>
            New quiet time
          </Button>
        )
      }
    >
      <p class="lead">
        While a quiet time lasts, the rules of its servers are evaluated as before, but nothing is sent. When
        it ends, the receivers get the state of that moment.
      </p>
      {(open || changed !== undefined) && (
        <Section title="Mute by pattern" note={changed && <Id text={changed.name} plain />}>
          <QuietForm
            key={changed && `${changed.tenantId} ${changed.name}`}
            tenant={
              person.kind === 'tenant'
                ? person.tenantId
                : (changed?.tenantId ?? nameOfTenant(tenant) ?? tenant)
            }
            servers={servers}
            changed={changed}
            isTaken={(owner, name) =>
              query.data?.quiet.some((one) => isOf(one, owner) && one.name === name) === true
            }
            onDone={done}
          />
        </Section>
      )}
      {person.kind === 'operator' && (
        <Filters>
          <TenantFilter />
        </Filters>
      )}
      <Answer query={query}>
        {({ quiet, more }) => (
          <Section title="Quiet times" note={more ? `the first ${quiet.length}` : undefined}>
            <Table
              label="Quiet times"
              columns={columnsFor({ choose, change }, quiet)}
              rows={quiet}
              rowKey={({ tenantId, name }) => `${tenantId} ${name}`}
              empty={
                <Empty
                  title="There is no quiet time."
                  text="A quiet time mutes all servers of a pattern: for an hour, every night, or every Sunday."
                />
              }
            />
          </Section>
        )}
      </Answer>
      <MutedList tenant={filter ?? ''} />
      <DeleteQuiet quiet={chosen} onClose={() => choose(undefined)} onDone={query.reload} />
    </Page>
  );
}

/** `tenant`: its id or its name. */
function isOf({ tenantId }: Row, tenant: string): boolean {
  return tenantId === (idOfTenant(tenant) ?? tenant);
}

/** Longest name that does not break, characters. */
const SHORT = 30;

function columnsFor(
  { choose, change }: Readonly<Record<'choose' | 'change', (row: Row) => void>>,
  rows: readonly Row[],
): readonly Column<Row>[] {
  const fit = rows.every(({ name }) => name.length <= SHORT);
  return [
    { head: 'Name', cell: ({ name }) => <Id text={name} />, fit },
    {
      head: 'State',
      cell: ({ next: [first] }) => {
        if (first === undefined) return <StateBadge state="over" />;
        if (isAhead(first.from)) {
          return (
            <>
              begins <Time at={first.from} />
            </>
          );
        }
        return (
          <>
            <StateBadge state="muted" />, ends <Time at={first.to} />
          </>
        );
      },
    },
    {
      head: 'Servers',
      cell: ({ servers, rules }) => (
        <>
          <Id text={servers.join(', ')} />
          {rules !== undefined && (
            <>
              , rules <Id text={rules.join(', ')} />
            </>
          )}
        </>
      ),
    },
    { head: 'When', cell: (row) => <Prose text={whenText(row)} /> },
    ...tenantColumn('quiet', ({ tenantId }: Row) => tenantId),
    {
      head: 'By',
      cell: ({ by, at, comment }) => (
        <>
          <Id text={by} />, <Time at={at} />
          {comment !== undefined && (
            <>
              : <Prose text={comment} />
            </>
          )}
        </>
      ),
    },
    {
      head: 'Actions',
      cell: (row) =>
        row.operator === true && !isOperator.value ? (
          <span class="hint">of operators</span>
        ) : (
          <span class="row-buttons">
            <Button kind="quiet" label={`Change ${nameText(row.name)}`} onClick={() => change(row)}>
              Change
            </Button>
            <Button kind="quiet" label={`Delete ${nameText(row.name)}`} onClick={() => choose(row)}>
              Delete
            </Button>
          </span>
        ),
      fit: true,
    },
  ];
}

interface DeleteQuietProps {
  /** undefined: nothing is asked. */
  readonly quiet: Row | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function DeleteQuiet({ quiet, onClose, onDone }: DeleteQuietProps) {
  return (
    <Confirm
      open={quiet !== undefined}
      title="Delete this quiet time?"
      action="Delete"
      danger
      onClose={onClose}
      onConfirm={async () => {
        await send('DELETE', quietPath(quiet!.tenantId, quiet!.name));
        announce('The quiet time is deleted.');
        onDone();
      }}
    >
      {quiet !== undefined && (
        <p>
          <Id text={quiet.name} plain /> mutes <Id text={quiet.servers.join(', ')} plain />. If it is running,
          its mutes end at once.
        </p>
      )}
    </Confirm>
  );
}
