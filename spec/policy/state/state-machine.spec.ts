import { expect } from 'chai';
import fc from 'fast-check';
import type { RuleOptions } from '../../../src/policy/rules/rule.js';
import { stepped } from '../../../src/policy/state/state-machine.js';
import { newState, type SubscriptionState } from '../../../src/policy/state/subscription-state.js';
import { cases } from '../../cases.js';

const SECOND = 1_000;

/** What happens to a subscription: an evaluation, or the refusal of one of the messages that its receiver has, by place. */
type Move =
  | { readonly do: 'evaluate'; readonly holds: boolean; readonly seconds: number }
  | { readonly do: 'mute' | 'unmute' }
  | { readonly do: 'refuse'; readonly back: number };

/** A message that was sent. */
interface Sent {
  readonly state: 'firing' | 'resolved';
  readonly since: number;
  readonly at: number;
  readonly factId: number;
}

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('evaluate'),
      holds: fc.boolean(),
      seconds: fc.constantFrom(1, 5, 30),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('mute', 'unmute') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refuse'), back: fc.constantFrom(0, 0, 0, 1, 2) }) },
);

/** A subscription, what its receiver has of it, and what would have been sent without mutes. */
class Stage {
  current: SubscriptionState = newState('c');
  /** Without what was refused. */
  got: Sent[] = [];
  unsent = 0;
  suppressed = false;
  now = 1_700_000_000_000;
  #factId = 0;
  /** Messages from before a suspension are tried while it lasts: their refusals suspend nothing. */
  #refused = 0;

  constructor(private readonly options: RuleOptions) {}

  evaluate(holds: boolean, seconds: number): void {
    this.now += seconds * SECOND;
    this.#factId += 1;
    const { now, options, suppressed } = this;
    const before = this.current;
    const event = {
      type: 'evaluated',
      now,
      factId: this.#factId,
      holds,
      mask: 0,
      options,
      suppressed,
    } as const;
    const { after: current, notifies } = stepped(before, event);
    this.current = current;
    if (notifies === undefined || notifies === 'noData') return;
    if (suppressed) this.unsent += 1;
    else {
      const since = notifies === 'firing' ? current.since! : before.reported!.since;
      this.got.push({ state: notifies, since, at: now, factId: this.#factId });
    }
  }

  /** Suspends the subscription by the refusal of a message. */
  refuse(back: number): void {
    const refused = this.got.at(-1 - back);
    if (refused === undefined || this.suppressed || refused.factId <= this.#refused) return;
    this.#refused = this.#factId;
    this.current = stepped(this.current, { type: 'refused', factId: refused.factId }).after;
    this.got = this.got.filter((one) => one !== refused);
    this.suppressed = true;
  }

  take(given: Move): void {
    if (given.do === 'evaluate') this.evaluate(given.holds, given.seconds);
    else if (given.do === 'refuse') this.refuse(given.back);
    else this.suppressed = given.do === 'mute';
  }
}

const moves = fc.array(move, { maxLength: 60, size: 'max' });
const rule: fc.Arbitrary<RuleOptions> = fc.record(
  {
    for: fc.constantFrom(0, 5, 20),
    repeat: fc.constantFrom(0, 0, 5, 20),
    resolve: fc.boolean(),
  },
  { requiredKeys: ['repeat'] },
);

describe('a subscription that is muted or suspended at times', () => {
  it('notifies its receiver of what holds with the first evaluation that it hears', () => {
    const resolving = rule.map((one) => ({ ...one, for: 0, resolve: true }));
    fc.assert(
      fc.property(resolving, moves, (options, given) => {
        const stage = new Stage(options);
        for (const one of given) {
          stage.take(one);
          if (one.do !== 'evaluate' || stage.suppressed) continue;
          const knows = stage.got.at(-1)?.state ?? 'resolved';
          expect(knows, JSON.stringify(given)).to.equal(one.holds ? 'firing' : 'resolved');
        }
      }),
      { numRuns: cases(2_000, 500) },
    );
  });

  it('is resolved once, with the since of its firings, and only if one of them was sent', () => {
    fc.assert(
      fc.property(rule, moves, (options, given) => {
        const stage = new Stage(options);
        for (const one of given) stage.take(one.do === 'refuse' ? { ...one, back: 0 } : one);
        let open: number | undefined;
        for (const { state, since } of stage.got) {
          if (state === 'firing') {
            if (options.resolve === true && open !== undefined) expect(since).to.equal(open);
            open = since;
          } else {
            expect(since, JSON.stringify(stage.got)).to.equal(open);
            open = undefined;
          }
        }
      }),
      { numRuns: cases(2_000, 500) },
    );
  });

  it('repeats no sooner than repeat says after the last firing that was sent, and goes on waiting for `for`', () => {
    fc.assert(
      fc.property(rule, moves, (options, given) => {
        const stage = new Stage(options);
        for (const one of given) stage.take(one);
        for (const [i, one] of stage.got.entries()) {
          if (one.state === 'firing') {
            expect(one.at - one.since).to.be.at.least((options.for ?? 0) * SECOND);
          }
          const before = stage.got[i - 1];
          if (before?.state !== 'firing' || one.state !== 'firing' || before.since !== one.since) continue;
          expect(options.repeat).to.be.greaterThan(0);
          expect(one.at - before.at).to.be.at.least(options.repeat! * SECOND);
        }
      }),
      { numRuns: cases(2_000, 500) },
    );
  });

  it('has the states and the count of its messages of one that is heard all the time', () => {
    const evaluations = moves.map((all) => all.filter((one) => one.do === 'evaluate'));
    fc.assert(
      fc.property(rule, evaluations, (options, given) => {
        const [heard, muted] = [new Stage(options), new Stage(options)];
        muted.suppressed = true;
        for (const one of given) {
          heard.take(one);
          muted.take(one);
          expect(muted.current.state).to.equal(heard.current.state);
          expect(muted.current.since).to.equal(heard.current.since);
        }
        expect(muted.unsent).to.equal(heard.got.filter(({ state }) => state === 'firing').length);
      }),
      { numRuns: cases(500, 200) },
    );
  });
});
