import type { OverviewView, ServerRowView } from '../../../../src/console/shapes.js';
import { type Query, useQuery } from '../../query.js';
import { pathTo, queryValue, setQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { Empty, Failed, Loading } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Link, ServerLink } from '../../ui/link.js';
import { Count } from '../../ui/number.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { TenantLink } from '../../ui/tenant-name.js';
import { TenantFilter, TextFilter } from '../filters.js';
import { NewServer } from './new-server.js';
import { type FoundServers, useServers } from './use-servers.js';

const STATES = ['firing', 'noData', 'pending', 'filling', 'calm', 'unwatched'] as const;

/** All servers that the viewer may see: by a part of the id, tenant and state. */
export function ServersPage() {
  const [query, tenant, state] = [queryValue('query'), queryValue('tenant'), queryValue('state')];
  const found = useServers({ query, tenant, state, after: queryValue('after') });
  return (
    <Page title="Servers" actions={!isOperator.value && <NewServer />}>
      <form class="filters server-filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <TextFilter name="query" label="Search by a part of the id" />
        {isOperator.value && <TenantFilter />}
      </form>
      <StateTabs counted={tenant === ''} />
      <Found
        found={found}
        columns={isOperator.value ? [...COLUMNS, TENANT] : COLUMNS}
        isFiltered={query + tenant + state !== ''}
      />
    </Page>
  );
}

/** The filter by state, with the number of servers in each. */
function StateTabs({ counted }: { readonly counted: boolean }) {
  const { data } = useQuery<OverviewView>('/console/api/overview', { on: ['transition'], every: 5_000 });
  const chosen = queryValue('state');
  const tab = (state: string, text: string, count: preact.ComponentChildren) => (
    <button
      key={state}
      type="button"
      class="tab"
      aria-pressed={chosen === state}
      onClick={() => setQuery({ state, after: '' })}
    >
      {state === '' ? text : <StateBadge state={state} />}
      {count}
    </button>
  );
  return (
    <div class="tabs" role="group" aria-label="State">
      {tab('', 'All', null)}
      {STATES.map((state) =>
        tab(state, state, counted && data !== undefined ? <Count value={data.servers[state]} /> : null),
      )}
    </div>
  );
}

interface FoundProps {
  readonly found: Query<FoundServers>;
  readonly columns: readonly Column<ServerRowView>[];
  readonly isFiltered: boolean;
}

function Found({ found: { data, error, reload }, columns, isFiltered }: FoundProps) {
  if (error !== undefined) return <Failed message={error.message} again={reload} />;
  if (data === undefined) return <Loading />;
  const { rows, next, searching } = data;
  if (rows.length === 0 && !searching) return <Nothing isFiltered={isFiltered} />;
  return (
    <>
      <Table
        label="Servers"
        columns={columns}
        rows={rows}
        rowKey={({ tenantId, serverId }) => `${tenantId}/${serverId}`}
        empty={null}
      />
      <p class="search-note" role="status">
        {searching && 'Searching on …'}
      </p>
      <Pager name="after" next={searching ? null : next} />
    </>
  );
}

const COLUMNS: readonly Column<ServerRowView>[] = [
  {
    head: 'Server',
    cell: ({ tenantId, serverId }) => <ServerLink tenant={tenantId} server={serverId} />,
  },
  { head: 'State', fit: true, cell: ({ state }) => <StateBadge state={state} /> },
];

const TENANT: Column<ServerRowView> = {
  head: 'Tenant',
  fit: true,
  cell: ({ tenantId }) => <TenantLink id={tenantId} list="servers" />,
};

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No such server" text="No server fits the search and the filters.">
        <p>
          <Link to={pathTo('servers')}>Show all servers</Link>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No servers yet">
      <p>
        A server appears here with its first rule, subscription or measurement.{' '}
        {!isOperator.value && '“New server” opens the page where its rules are made. '}
        The <Link to={pathTo()}>overview</Link> says what to do first with curl.
      </p>
    </Empty>
  );
}
