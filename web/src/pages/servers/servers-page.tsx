import { useEffect, useState } from 'preact/hooks';
import type { OverviewView } from '../../../../src/console/shapes.js';
import type { FleetRow } from '../../../../src/policy/fleet/shapes.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue, setQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { Empty, Failed, Loading } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { ChoiceField } from '../../ui/field.js';
import { Link } from '../../ui/link.js';
import { Count } from '../../ui/number.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { Table } from '../../ui/table.js';
import { Filters, TenantFilter, TextFilter } from '../filters.js';
import { NewServer } from './new-server.js';
import { keyOf, SelectedServers } from './selected-servers.js';
import { serverColumns } from './server-columns.js';
import { type ServerFilter, useServers } from './use-servers.js';

const STATES = ['firing', 'noData', 'pending', 'filling', 'calm', 'unwatched'] as const;
const FILTERS = ['query', 'tenant', 'state', 'rule', 'label', 'sort'] as const;
/** Filters whose servers are not counted by state: the numbers of all servers would not fit the list. */
const UNCOUNTED = ['query', 'tenant', 'rule', 'label'] as const;

/** The servers that the viewer may see, the worst first, with what is wrong with each. */
export function ServersPage() {
  const filter: ServerFilter = Object.fromEntries(FILTERS.map((name) => [name, queryValue(name)]));
  return (
    <Page title="Servers" actions={!isOperator.value && <NewServer />}>
      <Filters>
        <TextFilter name="query" label="Part of the id or rule" />
        {isOperator.value && <TenantFilter />}
        <TextFilter name="rule" label="Rule" />
        <TextFilter name="label" label="Label" placeholder="severity=critical" />
        <Order />
      </Filters>
      <StateTabs counted={UNCOUNTED.every((name) => filter[name] === '')} />
      <Found filter={filter} />
    </Page>
  );
}

/** The order of the list. */
function Order() {
  return (
    <ChoiceField
      label="Order"
      value={queryValue('sort')}
      options={[
        ['', 'Worst first'],
        ['since', 'Oldest first'],
        ['name', 'By name'],
      ]}
      onChange={(sort) => setQuery({ sort, after: '' })}
    />
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

function Found({ filter }: { readonly filter: ServerFilter }) {
  const { data, error, reload } = useServers(filter, queryValue('after'));
  const [selected, select] = useState<ReadonlyMap<string, FleetRow>>(new Map());
  const key = JSON.stringify(filter);
  useEffect(() => select(new Map()), [key]);
  if (error !== undefined) return <Failed message={error.message} again={reload} />;
  if (data === undefined) return <Loading />;
  const { rows, next, searching } = data;
  if (rows.length === 0 && !searching) {
    return <Nothing isFiltered={Object.values(filter).some((value) => value !== '')} />;
  }
  const later = queryValue('after') !== '';
  return (
    <>
      <SelectedServers
        filter={filter}
        rows={rows}
        isAll={next === null && !later}
        selected={selected}
        select={select}
        changed={reload}
      />
      <Table
        label="Servers"
        columns={serverColumns()}
        rows={rows}
        rowKey={keyOf}
        empty={null}
        selection={{ selected, select, nameOf: ({ serverId }) => serverId }}
      />
      <p class="search-note" role="status">
        {searching && 'Searching further …'}
      </p>
      <Pager name="after" next={searching ? null : next} />
    </>
  );
}

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
        {!isOperator.value && '“New server” makes one with its first rule. '}
        The <Link to={pathTo()}>overview</Link> says what to do first with curl.
      </p>
    </Empty>
  );
}
