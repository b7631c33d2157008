import type { FleetRow } from '../../../../src/policy/fleet/shapes.js';
import { pathTo, withQuery } from '../../router.js';
import { StateBadge } from '../../ui/badge.js';
import { Link, ServerLink } from '../../ui/link.js';
import type { Column } from '../../ui/table.js';
import { tenantColumn } from '../../ui/tenant-name.js';
import { Id, Prose } from '../../ui/text.js';
import { Since, Time } from '../../ui/time.js';
import { ComparisonText } from '../comparison-text.js';
import { Marks } from '../marks.js';

/** States in which the value that is compared decides. */
const COMPARED: ReadonlySet<string> = new Set(['firing', 'pending', 'calm']);

/** The columns of the list of servers: its worst rule, why, since when, and what waits. */
export function serverColumns(): readonly Column<FleetRow>[] {
  return [STATE, SERVER, ...tenantColumn('servers', ({ tenantId }: FleetRow) => tenantId), ...REST];
}

const STATE: Column<FleetRow> = {
  head: 'State',
  fit: true,
  cell: ({ state, marks }) => (
    <span class="state-cell">
      <StateBadge state={state} />
      <Marks marks={marks} />
    </span>
  ),
};

const SERVER: Column<FleetRow> = {
  head: 'Server',
  cell: ({ tenantId, serverId }) => (
    <span class="server-cell">
      <ServerLink tenant={tenantId} server={serverId} />
    </span>
  ),
};

const REST: readonly Column<FleetRow>[] = [
  {
    head: 'Rule',
    cell: ({ rule, labels }) =>
      rule === null ? (
        '–'
      ) : (
        <span class="rule-cell">
          <Link to={withQuery(pathTo('servers'), { rule: rule.name })}>
            <Id text={rule.name} plain />
          </Link>
          {labels['severity'] !== undefined && (
            <>
              {' '}
              <span class="tag">
                <Id text={labels['severity']} plain />
              </span>
            </>
          )}
        </span>
      ),
  },
  {
    head: 'Reason',
    cell: ({ state, comparison, sentence }) => (
      <span class="reason">
        {comparison !== null && COMPARED.has(state) && <ComparisonText comparison={comparison} />}
        {sentence === null ? '–' : <Prose text={sentence} />}
      </span>
    ),
  },
  { head: 'Since', fit: true, cell: ({ since }) => (since === null ? '–' : <Since at={since} />) },
  { head: 'Last fact', fit: true, cell: ({ lastFact }) => <Time at={lastFact?.at} /> },
  {
    head: 'Messages',
    fit: true,
    cell: ({ tenantId, serverId, waiting, dead }) =>
      waiting + dead === 0 ? (
        '–'
      ) : (
        <Link to={withQuery(pathTo('deliveries'), { tenant: tenantId, server: serverId })}>
          {[waiting > 0 && `${waiting} waiting`, dead > 0 && `${dead} dead`].filter(Boolean).join(', ')}
        </Link>
      ),
  },
];
