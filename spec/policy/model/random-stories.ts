import fc from 'fast-check';
import { type Form, randomRules } from './random-rules.js';
import type { OutageKind, PlainFact, PlainRule, RuleChange, Step, Story } from './story.js';

/** Setting `WINDOW_GAP_S` of the services that play random stories. */
export const GAP_S = 100;

/** Which stories to generate. `still`: all happens at time 0. */
export interface Wanted {
  readonly form: Form;
  readonly length: number;
  readonly still?: boolean;
}

/** A step before its rule or subscription is chosen: one of those that there are then, by number. */
export type Action =
  | { readonly do: 'facts'; readonly facts: readonly PlainFact[] }
  | { readonly do: 'change'; readonly which: number; readonly to: RuleChange }
  | { readonly do: 'mute'; readonly which: number; readonly seconds: number }
  | { readonly do: 'quiet'; readonly seconds: number }
  | { readonly do: 'resize'; readonly windowsize: number }
  | { readonly do: 'wait' | 'restart' | 'unquiet' }
  | { readonly do: 'kill'; readonly commits: number }
  | OutageAction
  | {
      readonly do:
        | 'subscribe'
        | 'unsubscribe'
        | 'delete'
        | 'unmute'
        | 'resume'
        | 'acknowledge'
        | 'unacknowledge';
      readonly which: number;
    };

interface OutageAction {
  readonly do: 'outage';
  /** undefined: the mail server. */
  readonly which: number | undefined;
  readonly how: OutageKind;
  readonly seconds: number;
}

export interface Move {
  readonly pauseS: number;
  readonly action: Action;
}

/** The random parts of a story. */
export interface StoryParts {
  readonly rules: readonly PlainRule[];
  readonly generic: readonly boolean[];
  readonly mailed: readonly boolean[];
  readonly windowsize: number;
  readonly moves: readonly Move[];
}

/** Generates stories of `length` moves at most, which begin at time 0. */
export function randomStories({ form, length, still = false }: Wanted): fc.Arbitrary<Story> {
  const { rule, change, fact } = randomRules(form);
  const pauseS = still
    ? fc.constant(0)
    : fc.constantFrom(0, 1, 5, 5, 5, 10, 10, 20, 30, GAP_S, GAP_S, GAP_S + 1);
  const mutes = form === 'any' || form === 'evaluated';
  const action = fc.oneof(
    { weight: 40, arbitrary: actionOf(fact, change, mutes) },
    { weight: mutes ? 2 : 0, arbitrary: quietFor.map((seconds): Action => ({ do: 'quiet', seconds })) },
    { weight: mutes ? 1 : 0, arbitrary: fc.constant<Action>({ do: 'unquiet' }) },
  );
  const move = fc.record({ pauseS, action });
  return fc
    .record({
      rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
      generic: flags,
      mailed: fc.constant([]),
      windowsize,
      moves: fc.array(move, { minLength: 1, maxLength: length, size: 'max' }),
    })
    .map(storyOf);
}

const quietFor = fc.constantFrom(60, 61, 130);
const windowsize = fc.constantFrom(1, 1, 2, 3);

/** Something of each of the rules of a story. */
export const flags = fc.array(fc.boolean(), { minLength: 3, maxLength: 3 });

/** Returns the generator of actions that trouble nobody. */
export function actionOf(
  fact: fc.Arbitrary<PlainFact>,
  change: fc.Arbitrary<RuleChange>,
  mutes: boolean,
): fc.Arbitrary<Action> {
  const kind = <T extends Action['do']>(name: T) => fc.constant(name);
  const which = fc.nat(5);
  const weighted = (weight: number, arbitrary: fc.Arbitrary<Action>) => ({ weight, arbitrary });
  return fc.oneof(
    weighted(24, fc.record({ do: kind('facts'), facts: fc.array(fact, { minLength: 1, maxLength: 3 }) })),
    weighted(4, fc.record({ do: kind('subscribe'), which })),
    weighted(1, fc.record({ do: kind('unsubscribe'), which })),
    weighted(4, fc.record({ do: kind('change'), which, to: change })),
    weighted(1, fc.record({ do: kind('delete'), which })),
    weighted(1, fc.record({ do: kind('resize'), windowsize })),
    weighted(1, fc.record({ do: kind('wait') })),
    weighted(
      mutes ? 2 : 0,
      fc.record({ do: kind('mute'), which, seconds: fc.constantFrom(1, 6, 11, 21, 61) }),
    ),
    weighted(mutes ? 1 : 0, fc.record({ do: kind('unmute'), which })),
    weighted(mutes ? 6 : 0, fc.record({ do: kind('acknowledge'), which })),
    weighted(mutes ? 1 : 0, fc.record({ do: kind('unacknowledge'), which })),
  );
}

/** Makes the story of random moves. Leaves out those that do not apply, such as the end of a subscription that is over. */
export function storyOf(raw: StoryParts): Story {
  const names = raw.rules.map((_, index) => `rule-${index}`);
  let left: readonly string[] = names;
  let active: { readonly subscription: string; readonly rule: string }[] = [];
  let made = 0;
  let at = 0;
  const steps: Step[] = [];

  const subscribe = (rule: string): void => {
    const subscription = `s${(made += 1)}`;
    active = [...active, { subscription, rule }];
    steps.push({ at, do: 'subscribe', subscription, rule });
  };
  const outage = ({ which, how, seconds }: OutageAction): void => {
    const receiver = which === undefined ? 'mail' : active[which % active.length]?.subscription;
    if (receiver !== undefined) steps.push({ at, do: 'outage', receiver, how, until: at + seconds * 1_000 });
  };
  const add = (action: Action): void => {
    if (action.do === 'outage') return outage(action);
    if (action.do === 'quiet')
      return void steps.push({ at, do: 'quiet', until: at + action.seconds * 1_000 });
    if (!('which' in action)) return void steps.push({ at, ...action });
    const rule = left[action.which % left.length];
    if (action.do === 'subscribe' && rule !== undefined) return subscribe(rule);
    if (action.do === 'change' && rule !== undefined)
      return void steps.push({ at, do: 'change', rule, to: action.to });
    if (action.do === 'delete' && rule !== undefined) {
      left = left.filter((one) => one !== rule);
      active = active.filter((one) => one.rule !== rule);
      return void steps.push({ at, do: 'delete', rule });
    }
    const { subscription } = active[action.which % active.length] ?? {};
    if (subscription === undefined) return;
    if (action.do === 'unsubscribe') active = active.filter((one) => one.subscription !== subscription);
    if (action.do === 'mute')
      steps.push({ at, do: 'mute', subscription, until: at + action.seconds * 1_000 });
    else if (action.do !== 'subscribe' && action.do !== 'change' && action.do !== 'delete')
      steps.push({ at, do: action.do, subscription });
  };

  for (const rule of names) subscribe(rule);
  for (const { pauseS, action } of raw.moves) {
    at += pauseS * 1_000;
    add(action);
  }
  // A server notices a change of the window size with its next fact.
  steps.push({ at, do: 'facts', facts: [{ net: 50 }] });
  return {
    rules: Object.fromEntries(raw.rules.map((one, index) => [names[index]!, one])),
    generic: names.filter((_, index) => raw.generic[index]),
    mailed: names.filter((_, index) => raw.mailed[index]),
    windowsize: raw.windowsize,
    gapS: GAP_S,
    steps,
  };
}

/** Returns a story that begins at a time, ms since the epoch. */
export function beginningAt(story: Story, time: number): Story {
  const later = (step: Step): Step => ({
    ...step,
    at: step.at + time,
    ...('until' in step && { until: step.until + time }),
  });
  return { ...story, steps: story.steps.map(later) };
}
