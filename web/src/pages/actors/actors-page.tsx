import type { KindsView } from '../../../../src/console/shapes.js';
import type { ActorsView, ActorSummary } from '../../../../src/operator/shapes.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue, withQuery } from '../../router.js';
import { Answer, Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Link } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { TenantName } from '../../ui/tenant-name.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { ChoiceFilter, Filters, TenantFilter } from '../filters.js';

const PAGE_SIZE = '50';
const EVERY_MS = 5_000;

/** All actors of the service, by kind, tenant and state. */
export function ActorsPage() {
  const kinds = useQuery<KindsView>('/console/api/kinds').data?.kinds ?? [];
  const [kind, tenant, state, after] = ['kind', 'tenant', 'state', 'after'].map(queryValue);
  const path = withQuery('/operator/actors', { kind, tenant, state, after, limit: PAGE_SIZE });
  const query = useQuery<ActorsView>(path, { every: EVERY_MS });
  const ofKind = kinds.filter((one) => kind === '' || one.kind === kind);
  const states = [...new Set(ofKind.flatMap((one) => one.states))];

  return (
    <Page title="Actors">
      <p class="lead">
        Every document of the service as it is stored: its state, its context, what it has yet to do.
      </p>
      <Filters>
        <ChoiceFilter
          name="kind"
          label="Kind"
          all="all kinds"
          choices={kinds.map((one) => one.kind)}
          resets={['state']}
        />
        <ChoiceFilter name="state" label="State" all="all states" choices={states} />
        <TenantFilter />
      </Filters>
      <Answer query={query}>
        {({ actors, next }) => (
          <>
            {actors.length === 0 ? (
              <Nothing isFiltered={[kind, tenant, state].some((it) => it !== '')} />
            ) : (
              <Table
                label="Actors"
                columns={columns}
                rows={actors}
                rowKey={(row) => `${row.kind}/${row.tenant}/${row.name}`}
              />
            )}
            <Pager name="after" next={next} />
          </>
        )}
      </Answer>
    </Page>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No such actors.">
        <p>
          <Link to={pathTo('actors')}>Show all actors</Link>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No actors yet.">
      <p>The first rule, measurement or transaction makes one.</p>
    </Empty>
  );
}

const columns: readonly Column<ActorSummary>[] = [
  { head: 'Kind', cell: ({ kind }) => kind, fit: true },
  {
    head: 'Name',
    cell: ({ kind, tenant, name }) => (
      <Link to={pathTo('actors', kind, tenant, name)}>
        <Id text={name} plain />
      </Link>
    ),
  },
  {
    head: 'Tenant',
    cell: ({ kind, tenant }) => (
      <Link to={withQuery(pathTo('actors'), { kind, tenant })} class="small-id">
        <TenantName id={tenant} />
      </Link>
    ),
    fit: true,
  },
  {
    head: 'State',
    cell: ({ state, unreadable }) => unreadable ?? <StateBadge state={state} />,
    fit: true,
  },
  { head: 'Revision', cell: ({ revision }) => <Num value={revision} />, number: true, fit: true },
  { head: 'Wake-up', cell: ({ wakeAt }) => <Time at={wakeAt} />, fit: true },
];
