import type { OverviewView } from '../../../../src/console/shapes.js';
import type { ServerState } from '../../../../src/policy/explain/shapes.js';
import { Shape, stateText, type Tone } from '../../ui/badge.js';
import { Link } from '../../ui/link.js';
import { Count } from '../../ui/number.js';

/** The states in their order, with the tone of one that has servers. A state that needs somebody is never green or grey. */
const STATES: readonly (readonly [ServerState, Tone])[] = [
  ['firing', 'bad'],
  ['noData', 'bad'],
  ['pending', 'warn'],
  ['filling', 'idle'],
  ['calm', 'good'],
  ['unwatched', 'idle'],
];

/** States of which the marks are counted: a server that is muted there sends nothing about it. */
const TROUBLED: ReadonlySet<ServerState> = new Set(['firing', 'noData']);

/** How many servers are acknowledged, muted and suspended. */
function MarkCounts({ of: counts }: { readonly of: OverviewView['servers'][ServerState] }) {
  const marks = (['acknowledged', 'muted', 'suspended'] as const).filter((mark) => counts[mark] > 0);
  if (marks.length === 0) return null;
  return (
    <span class="state-marks">
      {marks.map((mark) => `${counts[mark].toLocaleString('en')} ${mark}`).join(', ')}
    </span>
  );
}

/** The number of servers in each state. `calm` is green only while nobody is in trouble. */
export function StateCounts({ servers }: Pick<OverviewView, 'servers'>) {
  const isTroubled = servers.firing.count + servers.noData.count > 0;
  return (
    <ul class="state-counts" aria-label="Servers by state">
      {STATES.map(([state, wanted]) => {
        const { count } = servers[state];
        const tone = count === 0 || (wanted === 'good' && isTroubled) ? 'idle' : wanted;
        return (
          <li key={state}>
            <Link to={`/console/servers?state=${state}`} class={`state-count ${tone}`}>
              <span class="state-word">
                <Shape tone={tone} /> {stateText(state)}
              </span>
              <Count value={servers[state]} />
              {count > 0 && TROUBLED.has(state) && <MarkCounts of={servers[state]} />}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
