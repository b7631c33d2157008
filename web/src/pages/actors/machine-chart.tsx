import type { KindsView, MachineChartView } from '../../../../src/console/shapes.js';
import { useQuery } from '../../query.js';
import { StateBadge } from '../../ui/badge.js';
import { Section } from '../../ui/page.js';
import { type Place, StatechartDrawing } from '../../ui/statechart.js';

/** Size of a state in the drawing, and the width of the drawing, px. */
const BOX = { width: 84, height: 26 };
const WIDTH = 380;
/** Height of the drawing for each state, px. */
const HEIGHT_EACH = 40;

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

interface DrawingProps {
  readonly chart: MachineChartView;
  /** Present state. */
  readonly state: string;
}

function Drawing({ chart: { states, transitions }, state }: DrawingProps) {
  const height = Math.max(3, states.length) * HEIGHT_EACH;
  return (
    <div class="statechart machine-drawing">
      <StatechartDrawing
        state={state}
        states={states}
        ways={transitions.map(({ from, to }) => ({ from, to, both: false, lit: from === state }))}
        size={{ width: WIDTH, height }}
        box={BOX}
        placeOf={(index) => placeOf(index, states.length, height)}
        label={`Present state: ${state}. States: ${states.join(', ')}. The lists have the transitions.`}
      />
    </div>
  );
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
