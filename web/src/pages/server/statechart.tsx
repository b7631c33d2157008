import type { ServerView, StatechartView } from '../../../../src/console/shapes.js';
import { type Place, StatechartDrawing } from '../../ui/statechart.js';

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

/** The states of a server's machine, and what the present one means. */
export function Statechart({ chart, state }: Pick<ServerView, 'chart' | 'state'>) {
  const { states } = chart;
  return (
    <figure class="statechart">
      <StatechartDrawing
        state={state}
        states={states}
        ways={waysIn(chart).map((way) => ({ ...way, lit: way.from === state || way.to === state }))}
        size={DRAWING}
        box={BOX}
        placeOf={(index) => placeOf(index, states.length)}
        label={`The server is in the state ${state}. Its states: ${states.join(', ')}.`}
      />
      <figcaption>{MEANINGS[state] ?? ''}</figcaption>
    </figure>
  );
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
