import { useQuery } from '../../query.js';
import { pathTo, withQuery } from '../../router.js';
import { Answer, Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Link } from '../../ui/link.js';
import { counted, Num } from '../../ui/number.js';
import { DetailList, Page, Section } from '../../ui/page.js';
import { type Column, Table } from '../../ui/table.js';
import { CopiedTenant } from '../../ui/tenant-name.js';
import { Id, Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import type { ActorDetail } from '../../../../src/operator/shapes.js';
import { ActorHistory } from './actor-history.js';
import { JsonTree } from './json-tree.js';
import { MachineChart } from './machine-chart.js';

const EVERY_MS = 2_000;

interface ActorPageProps {
  readonly kind: string;
  readonly tenant: string;
  readonly name: string;
}

/** One actor as it is stored. It is read again every two seconds. */
export function ActorPage({ kind, tenant, name }: ActorPageProps) {
  const query = useQuery<ActorDetail>(actorPath({ kind, tenant, name }), {
    on: ['transition', 'firing', 'delivery', 'receipt'],
    every: EVERY_MS,
  });
  const crumbs = [
    { to: pathTo('actors'), text: 'Actors' },
    { to: withQuery(pathTo('actors'), { kind }), text: kind },
  ];
  const seenAt = pageOf({ kind, tenant, name });
  return (
    <Page title={`${kind} ${name}`} heading={<Id text={name} />} crumbs={crumbs}>
      <Answer query={query}>
        {(actor) => (
          <>
            <DetailList
              rows={[
                ['State', <StateBadge state={actor.state} />],
                ['Kind', kind],
                ['Tenant', <CopiedTenant id={tenant} />],
                ['Revision', <Num value={actor.revision} />],
                ['Wake-up', <Time at={actor.wakeAt} />],
                actor.fault !== null && [
                  'Last fault',
                  <>
                    <Time at={actor.fault.at} />: <Prose text={actor.fault.message} />
                  </>,
                ],
                seenAt !== undefined && ['Its page', <Link to={seenAt.to}>{seenAt.text}</Link>],
              ]}
            />
            {actor.unreadable === undefined ? (
              <>
                <MachineChart kind={kind} state={actor.state} />
                <ActorHistory actor={actor} />
                <Section title="Outbox" note={counted(actor.outbox.length, 'effect')}>
                  {actor.outbox.length === 0 ? (
                    <Empty title="Nothing to do: every effect is performed." />
                  ) : (
                    <>
                      <Table
                        label="Effects that wait"
                        columns={WAITING}
                        rows={actor.waiting}
                        rowKey={({ id, type }) => `${type} ${id}`}
                      />
                      <JsonTree value={actor.outbox} label="Outbox" />
                    </>
                  )}
                </Section>
                <Section
                  title="Context"
                  note="as it is stored; times are in ms since 1970, and beside them in UTC"
                >
                  <JsonTree value={actor.context} label="Context" />
                </Section>
              </>
            ) : (
              <Empty
                title={`It is ${actor.unreadable}.`}
                text="A newer release wrote it, or a part of the service that is off."
              />
            )}
          </>
        )}
      </Answer>
    </Page>
  );
}

const WAITING: readonly Column<ActorDetail['waiting'][number]>[] = [
  { head: 'Effect', fit: true, cell: ({ type }) => type },
  { head: 'Id', cell: ({ id }) => <Id text={id} /> },
  { head: 'Why it waits', cell: ({ why }) => <Prose text={why} /> },
];

/** The path of an actor. A final `.json` asks for the format, so that one of the name's own stays. */
function actorPath({ kind, tenant, name }: ActorPageProps): string {
  return `/operator/actors/${[kind, tenant, name].map(encodeURIComponent).join('/')}.json`;
}

/** Returns the page of the console that shows what an actor stands for; undefined if there is none. */
function pageOf({ kind, tenant, name }: ActorPageProps) {
  if (kind === 'server') return { to: pathTo('servers', tenant, name), text: 'Server' };
  if (kind === 'delivery') return { to: pathTo('deliveries', name), text: 'Delivery' };
  if (kind === 'tenant') return { to: withQuery(pathTo('rules'), { tenant }), text: 'Rules of the tenant' };
  if (kind === 'entity' && !name.startsWith('sha256:'))
    return { to: pathTo('ledger', 'entities', name), text: 'Entity' };
  if (kind === 'transaction') return { to: pathTo('ledger', 'receipts', name), text: 'Receipt' };
  if (kind === 'operation') return { to: pathTo('ledger'), text: 'Ledger' };
  if (kind === 'account') return { to: pathTo('ledger', 'accounts'), text: 'Accounts' };
  if (kind === 'endpoint') {
    return {
      to: withQuery(pathTo('deliveries'), { subscription: name }),
      text: 'Deliveries of the subscription',
    };
  }
  return undefined;
}
