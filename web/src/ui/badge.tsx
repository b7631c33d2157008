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

const tones: Readonly<Record<string, Tone>> = {
  firing: 'bad',
  dead: 'bad',
  down: 'bad',
  lost: 'bad',
  refused: 'bad',
  suspended: 'bad',
  noData: 'bad',
  pending: 'warn',
  filling: 'warn',
  muted: 'warn',
  waiting: 'warn',
  degraded: 'warn',
  connecting: 'warn',
  open: 'warn',
  stalled: 'warn',
  calm: 'good',
  watching: 'good',
  delivered: 'good',
  final: 'good',
  live: 'good',
  up: 'good',
  verified: 'good',
};

/** The shape of a tone. */
export function Shape({ tone }: { readonly tone: Tone }) {
  return (
    <svg class={`shape ${tone}`} viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      {shapes[tone]}
    </svg>
  );
}

/** A state with its shape. An unknown state is `idle` unless `tone` says otherwise. `text` replaces the word. */
export function StateBadge(props: { readonly state: string; readonly tone?: Tone; readonly text?: string }) {
  const tone = props.tone ?? tones[props.state] ?? 'idle';
  return (
    <span class={`badge ${tone}`}>
      <Shape tone={tone} />
      {props.text ?? (props.state === 'noData' ? 'no data' : props.state)}
    </span>
  );
}
