import fc from 'fast-check';
import { randomRules } from './random-rules.js';
import { type Action, actionOf, flags, type Move, storyOf } from './random-stories.js';
import type { OutageKind, PlainCondition, PlainRule, RuleChange, Story } from './story.js';

// Of few subscriptions, so that troubles meet messages.
const which = fc.constantFrom(0, 0, 0, 1, 1, 2);
const kind = <T extends Action['do']>(name: T) => fc.constant(name);

/** Conditions that the facts below fulfil, or not. */
const condition = fc.constantFrom<PlainCondition>(
  { cpu: { value: 50, operand: 'greater' } },
  { cpu: { value: 50, operand: 'greater' } },
  { cpu: { value: 50, operand: 'less', clear: 100 } },
  { cpu: { value: 50, operand: 'greater', clear: 0 } },
  {
    any: [{ cpu: { value: 50, operand: 'greater' } }, { mem: { value: 90, operand: 'greater', clear: 20 } }],
  },
);
const members = {
  for: fc.constantFrom(0, 3, 10),
  repeat: fc.constantFrom(0, 0, 0, 4, 10),
  resolve: fc.constantFrom(true, true, true, false),
  noData: fc.constantFrom(10, 15),
};
const clearRule: fc.Arbitrary<PlainRule> = fc
  .record({ condition, ...members }, { requiredKeys: ['condition', 'repeat', 'resolve'] })
  .chain((one) => fc.constantFrom(one, one, one, { ...one, for: 0 }, { condition: one.condition }));
const clearChange: fc.Arbitrary<RuleChange> = fc.record(
  {
    condition,
    for: fc.option(members.for),
    repeat: fc.option(members.repeat),
    resolve: fc.option(members.resolve),
    noData: fc.option(members.noData),
  },
  { requiredKeys: [] },
);

/** Facts of which most conditions hold, or do not. */
const facts: fc.Arbitrary<Action> = fc
  .array(fc.constantFrom(0, 0, 100, 100), { minLength: 1, maxLength: 2 })
  .map((all) => ({ do: 'facts', facts: all.map((value) => ({ cpu: value, mem: value })) }));

/** An outage of 1 to 12 s. */
const outageOf = (how: fc.Arbitrary<OutageKind>, receiver: fc.Arbitrary<number | undefined>) =>
  fc.record({ do: kind('outage'), which: receiver, how, seconds: fc.integer({ min: 1, max: 12 }) });

const away = fc.constantFrom<OutageKind>('down', 'reset', 'lost', 'hang', 'busy');
const muteFor = fc.constantFrom(1, 2, 6, 11, 21, 61);

const stop: fc.Arbitrary<Action> = fc.oneof(fc.record({ do: kind('restart') }), {
  weight: 2,
  arbitrary: fc.record({ do: kind('kill'), commits: fc.nat(10) }),
});

const pauseS = fc.constantFrom(0, 0, 1, 1, 2, 3, 5, 5, 8, 12, 30, 101);
const moveOf = (action: fc.Arbitrary<Action>): fc.Arbitrary<Move> => fc.record({ pauseS, action });
const shortly = (action: fc.Arbitrary<Action>): fc.Arbitrary<Move> =>
  fc.record({ pauseS: fc.constantFrom(0, 1, 1, 2, 3), action });

/** Time without facts, of the length of `noData`. */
const absence = fc.record({
  pauseS: fc.constantFrom(10, 12, 16),
  action: fc.constant<Action>({ do: 'wait' }),
});

/** Something that keeps messages of one subscription back, facts meanwhile, and its end, if it has one of its own. */
const episode: fc.Arbitrary<readonly Move[]> = which.chain((one) => {
  const of = fc.constant(one);
  const mute = fc.record({ do: kind('mute'), which: of, seconds: muteFor });
  const gone = outageOf(fc.constant('gone'), of);
  const end = fc.constantFrom<Action>(
    { do: 'resume', which: one },
    { do: 'resume', which: one },
    { do: 'unmute', which: one },
  );
  return fc
    .tuple(
      moveOf(fc.oneof(gone, gone, outageOf(away, of), mute, mute)),
      fc.array(shortly(facts), { minLength: 1, maxLength: 4 }),
      fc.array(moveOf(fc.oneof(mute, outageOf(away, of), stop)), { maxLength: 1 }),
      fc.array(shortly(facts), { maxLength: 2 }),
      fc.array(absence, { maxLength: 1 }),
      fc.array(moveOf(end), { maxLength: 1 }),
      fc.array(absence, { maxLength: 1 }),
    )
    .map(([begin, first, more, then, absence, over, still]) => {
      return [begin, ...first, ...more, ...then, ...absence, ...over, ...still];
    });
});

/** An acknowledgement of one subscription among facts, and its end, if it does not end with the period. */
const care: fc.Arbitrary<readonly Move[]> = fc
  .tuple(
    fc.array(shortly(facts), { minLength: 1, maxLength: 2 }),
    fc.array(absence, { maxLength: 1 }),
    shortly(fc.record({ do: kind('acknowledge'), which })),
    fc.array(shortly(facts), { minLength: 1, maxLength: 4 }),
    fc.array(shortly(fc.record({ do: kind('unacknowledge'), which })), { maxLength: 1 }),
  )
  .map(([before, absence, acknowledge, after, end]) => [
    ...before,
    ...absence,
    acknowledge,
    ...after,
    ...end,
  ]);

/** Generates stories with outages of receivers, mutes, acknowledgements, suspensions, restarts and kills, which begin at time 0. */
export function troubledStories(): fc.Arbitrary<Story> {
  const { rule, change, fact } = randomRules('any');
  const changes = fc.oneof({ weight: 3, arbitrary: clearChange }, { weight: 1, arbitrary: change });
  const quiet = moveOf(actionOf(fact, changes, true)).map((one) => [one]);
  const trouble = moveOf(fc.oneof(stop, outageOf(away, fc.constant(undefined)))).map((one) => [one]);
  const some = fc.oneof(
    { weight: 3, arbitrary: quiet },
    { weight: 4, arbitrary: moveOf(facts).map((one) => [one]) },
    { weight: 1, arbitrary: trouble },
    { weight: 4, arbitrary: episode },
    { weight: 2, arbitrary: care },
  );
  return fc
    .record({
      rules: fc.array(fc.oneof({ weight: 5, arbitrary: clearRule }, { weight: 1, arbitrary: rule }), {
        minLength: 1,
        maxLength: 3,
      }),
      generic: flags,
      mailed: flags,
      windowsize: fc.constantFrom(1, 1, 1, 1, 2),
      moves: fc.array(some, { minLength: 10, maxLength: 25, size: 'max' }).map((all) => all.flat()),
    })
    .map(storyOf);
}
