import type { KindsView } from '../../../../src/console/shapes.js';
import type { ActorsView, ActorSummary } from '../../../../src/operator/shapes.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue, withQuery } from '../../router.js';
import { Answer, Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { IdLink, Link } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { TenantLink } from '../../ui/tenant-name.js';
import { Time } from '../../ui/time.js';
import { ChoiceFilter, Filters, TenantFilter, TextFilter } from '../filters.js';

const PAGE_SIZE = '50';
const EVERY_MS = 5_000;

/** All actors of the service, by kind, tenant and state. */
export function ActorsPage() {
  const kinds = useQuery<KindsView>('/console/api/kinds').data?.kinds ?? [];
  const [kind, tenant, state, id, after] = ['kind', 'tenant', 'state', 'query', 'after'].map(queryValue);
  const path = withQuery('/operator/actors', { kind, tenant, state, query: id, after, limit: PAGE_SIZE });
  const query = useQuery<ActorsView>(path, { every: EVERY_MS });
  const states = kinds.find((one) => one.kind === kind)?.states ?? [];

  return (
    <Page title="Actors">
      <p class="lead">
        Every document of the service as it is stored: its state, its context, and the effects that wait.
      </p>
      <Filters>
        <ChoiceFilter
          name="kind"
          label="Kind"
          all="all kinds"
          choices={kinds.map((one) => one.kind)}
          resets={['state']}
        />
        {(kind !== '' || state !== '') && (
          <ChoiceFilter name="state" label="State" all="all states" choices={states} />
        )}
        <TextFilter name="query" label="Part of the name" />
        <TenantFilter />
      </Filters>
      <Answer query={query}>
        {({ actors, next }) => (
          <>
            <Table
              label="Actors"
              columns={columns}
              rows={actors}
              rowKey={(row) => `${row.kind}/${row.tenant}/${row.name}`}
              busy={query.loading}
              empty={next !== null ? SEARCHING : kind || tenant || state || id ? NONE_FOUND : NONE}
            />
            <Pager name="after" next={next} />
          </>
        )}
      </Answer>
    </Page>
  );
}

const NONE = <Empty title="No actors yet." text="The first rule, measurement or transaction makes one." />;
const SEARCHING = (
  <Empty title="None found yet." text="There are many actors: the next page continues the search." />
);
const NONE_FOUND = (
  <Empty title="No such actors." text={<Link to={pathTo('actors')}>Show all actors</Link>} />
);

const columns: readonly Column<ActorSummary>[] = [
  { head: 'Kind', cell: ({ kind }) => kind, fit: true },
  {
    head: 'Name',
    cell: ({ kind, tenant, name }) => <IdLink to={pathTo('actors', kind, tenant, name)} text={name} />,
  },
  {
    head: 'Tenant',
    cell: ({ kind, tenant }) => <TenantLink id={tenant} list="actors" filters={{ kind }} />,
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
