import type { KindsView, MachineChartView } from '../../../../src/console/shapes.js';
import { useQuery } from '../../query.js';
import { StateBadge } from '../../ui/badge.js';
import { Section } from '../../ui/page.js';

/** Size of a state in the drawing, and the width of the drawing, px. */
const BOX = { width: 84, height: 26 };
const WIDTH = 380;
/** Height of the drawing for each state, px. */
const HEIGHT_EACH = 40;
/** Space between a box and the arrow that ends at it, px. */
const GAP = 4;

/** The states of an actor's machine, the present one marked, and what leads from one to another. */
export function MachineChart({ kind, state }: { readonly kind: string; readonly state: string }) {
  const kinds = useQuery<KindsView>('/console/api/kinds').data?.kinds;
  const chart = kinds?.find((one) => one.kind === kind)?.chart;
  if (chart === undefined) return null;
  const leaving = chart.transitions.filter(({ from }) => from === state);
  const others = chart.transitions.filter(({ from }) => from !== state);
  return (
    <Section title="Statechart" note="of every actor of this kind">
      <div class="machine panel">
        <Drawing chart={chart} state={state} />
        <div>
          <h3>From here</h3>
          {leaving.length === 0 ? (
            <p class="quiet-text">No event leads to another state.</p>
          ) : (
            <Ways ways={leaving} />
          )}
          {others.length > 0 && (
            <details>
              <summary>From the other states</summary>
              <Ways ways={others} withFrom />
            </details>
          )}
        </div>
      </div>
    </Section>
  );
}

type Way = MachineChartView['transitions'][number];

function Ways({ ways, withFrom = false }: { readonly ways: readonly Way[]; readonly withFrom?: boolean }) {
  return (
    <ul class="ways">
      {ways.map(({ from, to, events }) => (
        <li key={`${from} ${to}`}>
          {withFrom && (
            <>
              <StateBadge state={from} /> <span aria-hidden="true">→</span> <span class="hidden">to</span>
            </>
          )}
          <StateBadge state={to} />{' '}
          {events.length === 0 ? 'follows from the context' : `on ${events.join(', ')}`}
        </li>
      ))}
    </ul>
  );
}

function Drawing({ chart, state }: { readonly chart: MachineChartView; readonly state: string }) {
  const { states, transitions } = chart;
  const height = Math.max(3, states.length) * HEIGHT_EACH;
  const places = new Map(states.map((name, i) => [name, placeOf(i, states.length, height)]));
  return (
    <svg
      class="statechart machine-drawing"
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="img"
      aria-label={`Present state: ${state}. States: ${states.join(', ')}. The lists have the transitions.`}
    >
      <defs>
        <marker
          id="way-end"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="6"
          markerHeight="6"
          orient="auto"
        >
          <path class="arrow" d="M0 .8 7.500 4 0 7.200z" />
        </marker>
      </defs>
      {transitions.map(({ from, to }) => {
        const [a, b] = [places.get(from)!, places.get(to)!];
        const [start, end] = [edgeOf(a, b), edgeOf(b, a)];
        return (
          <line
            key={`${from} ${to}`}
            class={from === state ? 'way lit' : 'way'}
            x1={start.x}
            y1={start.y}
            x2={end.x}
            y2={end.y}
            marker-end="url(#way-end)"
          />
        );
      })}
      {states.map((name) => {
        const { x, y } = places.get(name)!;
        return (
          <g key={name} class={name === state ? 'state lit' : 'state'} transform={`translate(${x} ${y})`}>
            <rect x={-BOX.width / 2} y={-BOX.height / 2} {...BOX} rx="7" />
            <text dy=".35em" text-anchor="middle">
              {name}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Returns the place of a state: on an ellipse, clockwise from the top, so that no line crosses a box between two others. */
function placeOf(index: number, count: number, height: number): Place {
  const center = { x: WIDTH / 2, y: height / 2 };
  if (count === 1) return center;
  const angle = (2 * Math.PI * index) / count;
  return {
    x: center.x + (WIDTH / 2 - BOX.width / 2 - 2) * Math.sin(angle),
    y: center.y - (height / 2 - BOX.height / 2 - 2) * Math.cos(angle),
  };
}

/** Returns where the line from the middle of one box to another leaves the box. */
function edgeOf(from: Place, to: Place): Place {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const scale = Math.min(
    (BOX.width / 2 + GAP) / Math.max(Math.abs(dx), 0.001),
    (BOX.height / 2 + GAP) / Math.max(Math.abs(dy), 0.001),
  );
  return { x: from.x + dx * scale, y: from.y + dy * scale };
}
