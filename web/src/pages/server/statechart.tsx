import type { ServerView, StatechartView } from '../../../../src/console/shapes.js';

/** Size of the drawing and of a state in it, px. */
const DRAWING = { width: 330, height: 168 };
const BOX = { width: 104, height: 38 };

const MEANINGS: Readonly<Record<string, string>> = {
  unwatched: 'No rule is subscribed here: nothing is evaluated.',
  filling: 'A subscription was not evaluated yet: a window of its rule is not full.',
  calm: 'All subscriptions were evaluated, and no condition holds.',
  pending: 'A condition holds, and the time of “for” is not over.',
  noData: 'A subscription gets no measurements: the time of “noData” is over.',
  firing: 'A subscription is firing: its condition holds, and the time of “for” is over, if it has one.',
};

/** The states of a machine and the transitions between them, the present state lit. */
export function Statechart({ chart, state }: Pick<ServerView, 'chart' | 'state'>) {
  const { states } = chart;
  const places = new Map(states.map((name, i) => [name, placeOf(i, states.length)]));
  return (
    <figure class="statechart">
      <svg
        viewBox={`0 0 ${DRAWING.width} ${DRAWING.height}`}
        role="img"
        aria-label={`The server is in the state ${state}. Its states: ${states.join(', ')}.`}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="6"
            markerHeight="6"
            orient="auto-start-reverse"
          >
            <path class="arrow" d="M0 .8 7.500 4 0 7.200z" />
          </marker>
        </defs>
        {waysIn(chart).map(({ from, to, both }) => {
          const [a, b] = [places.get(from)!, places.get(to)!];
          const [start, end] = [edgeOf(a, b), edgeOf(b, a)];
          return (
            <line
              key={`${from} ${to}`}
              class={from === state || to === state ? 'way lit' : 'way'}
              x1={start.x}
              y1={start.y}
              x2={end.x}
              y2={end.y}
              marker-end="url(#arrow)"
              marker-start={both ? 'url(#arrow)' : undefined}
            />
          );
        })}
        {states.map((name) => {
          const { x, y } = places.get(name)!;
          return (
            <g
              key={name}
              class={name === state ? `state lit ${name}` : 'state'}
              transform={`translate(${x} ${y})`}
            >
              <rect x={-BOX.width / 2} y={-BOX.height / 2} {...BOX} rx="8" />
              <text dy=".35em" text-anchor="middle">
                {name}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption>{MEANINGS[state] ?? ''}</figcaption>
    </figure>
  );
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Places of the states, clockwise from the upper left. */
function placeOf(index: number, count: number): Place {
  const ofRow = Math.ceil(count / 2);
  const isLower = index >= ofRow;
  const column = isLower ? count - 1 - index : index;
  const margin = { x: BOX.width / 2 + 2, y: BOX.height / 2 + 2 };
  const step = ofRow < 2 ? 0 : (DRAWING.width - 2 * margin.x) / (ofRow - 1);
  return { x: margin.x + column * step, y: isLower ? DRAWING.height - margin.y : margin.y };
}

/** Returns the transitions, those of two states in both directions as one. */
function waysIn({ transitions }: StatechartView) {
  const has = (from: string, to: string): boolean =>
    transitions.some((one) => one.from === from && one.to === to);
  return transitions
    .filter(({ from, to }, i) => !transitions.slice(0, i).some((one) => one.from === to && one.to === from))
    .map(({ from, to }) => ({ from, to, both: has(to, from) }));
}

/** Returns where the line from the middle of one box towards another leaves the box. */
function edgeOf(from: Place, to: Place): Place {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const gap = 5;
  const scale = Math.min(
    (BOX.width / 2 + gap) / Math.max(Math.abs(dx), 0.001),
    (BOX.height / 2 + gap) / Math.max(Math.abs(dy), 0.001),
  );
  return { x: from.x + dx * scale, y: from.y + dy * scale };
}
