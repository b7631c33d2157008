/** States: a shape, a colour and the word, so that none of them is needed alone. */

/** The meaning of a state for the viewer. */
export type Tone = 'bad' | 'warn' | 'good' | 'idle';

const shapes: Readonly<Record<Tone, preact.JSX.Element>> = {
  bad: <path d="M5 .8 9.5 9h-9z" fill="currentColor" />,
  warn: (
    <>
      <circle cx="5" cy="5" r="3.7" fill="none" stroke="currentColor" stroke-width="1.4" />
      <path d="M5 1.3a3.7 3.7 0 0 1 0 7.4z" fill="currentColor" />
    </>
  ),
  good: <circle cx="5" cy="5" r="4" fill="currentColor" />,
  idle: <circle cx="5" cy="5" r="3.5" fill="none" stroke="currentColor" stroke-width="1.4" />,
};

/** The states by their meaning. Any other state is `idle`. */
const states: readonly (readonly [tone: Tone, states: readonly string[]])[] = [
  ['bad', ['firing', 'dead', 'down', 'lost', 'refused', 'suspended', 'noData', 'overdue', 'failing']],
  ['warn', ['pending', 'filling', 'muted', 'waiting', 'degraded', 'connecting', 'open', 'stalled', 'retry']],
  ['good', ['calm', 'ok', 'delivered', 'final', 'live', 'up', 'verified']],
];

/** The shape of a tone. */
export function Shape({ tone }: { readonly tone: Tone }) {
  return (
    <svg class={`shape ${tone}`} viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      {shapes[tone]}
    </svg>
  );
}

/** Returns the words for a state. */
export function stateText(state: string): string {
  return state === 'noData' ? 'no data' : state;
}

/** A state with its shape. An unknown state is `idle` unless `tone` says otherwise. `text` replaces the word. */
export function StateBadge(props: {
  readonly state: string;
  readonly tone?: Tone | undefined;
  readonly text?: string;
}) {
  const tone = props.tone ?? states.find(([, names]) => names.includes(props.state))?.[0] ?? 'idle';
  return (
    <span class={`badge ${tone}`}>
      <Shape tone={tone} />
      {props.text ?? stateText(props.state)}
    </span>
  );
}
