/** The middle of a state in the drawing, px. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A line from one state to another, with an arrow at its end; `both`: at its start too. */
export interface Way {
  readonly from: string;
  readonly to: string;
  readonly both: boolean;
  readonly lit: boolean;
}

interface StatechartDrawingProps {
  /** Present state. */
  readonly state: string;
  readonly states: readonly string[];
  readonly ways: readonly Way[];
  /** Size of the drawing, and of the box of a state, px. */
  readonly size: Size;
  readonly box: Size;
  readonly placeOf: (index: number) => Place;
  /** The drawing in words, for screen readers. */
  readonly label: string;
}

/** Space between a box and an arrow, px. */
const GAP = 5;

/** The states of a machine and the transitions between them, the present state lit. */
export function StatechartDrawing({
  state,
  states,
  ways,
  size,
  box,
  placeOf,
  label,
}: StatechartDrawingProps) {
  const places = new Map(states.map((name, i) => [name, placeOf(i)]));
  return (
    <svg viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label={label}>
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
      {ways.map(({ from, to, both, lit }) => {
        const [a, b] = [places.get(from)!, places.get(to)!];
        const [start, end] = [edgeOf(a, b, box), edgeOf(b, a, box)];
        return (
          <line
            key={`${from} ${to}`}
            class={lit ? 'way lit' : 'way'}
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
            <rect x={-box.width / 2} y={-box.height / 2} {...box} rx="7" />
            <text dy=".35em" text-anchor="middle">
              {name}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** Returns where the line from the middle of one box towards another leaves the box. */
function edgeOf(from: Place, to: Place, box: Size): Place {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const scale = Math.min(
    (box.width / 2 + GAP) / Math.max(Math.abs(dx), 0.001),
    (box.height / 2 + GAP) / Math.max(Math.abs(dy), 0.001),
  );
  return { x: from.x + dx * scale, y: from.y + dy * scale };
}
