import { expect } from 'chai';
import fc from 'fast-check';
import type { DispatchEvent } from '../../../src/delivery/delivery.js';
import type { Answer } from '../../../src/delivery/port.js';
import { DEAD, DELIVERED, GIVE_UP, KEEP, MAIL, NOON, REFUSED, RETRY, WEBHOOK } from '../driven-delivery.js';
import { simulatedDeliveries, type SimulatedDeliveries, TENANT } from './simulated-deliveries.js';

/** Subscriptions, each with a chain of messages by channel. */
const CHAINS = ['s1/webhook', 's1/email', 's2/webhook'] as const;
type Chain = (typeof CHAINS)[number];

const PENDING = ['blocked', 'waiting', 'sending'];

/** The messages of all chains, and what happens to them. */
class Story {
  readonly #made = new Map<Chain, string[]>(CHAINS.map((chain) => [chain, []]));
  readonly #redelivered = new Set<string>();
  readonly #deliveries: SimulatedDeliveries;
  /** Ids in the order in which they were tried. */
  readonly tried: string[] = [];
  #now = NOON;
  #isCalm = false;

  /** `next` returns a random number from 0 to below its argument. */
  constructor(private readonly next: (below: number) => number) {
    this.#deliveries = simulatedDeliveries({
      now: () => this.#now,
      permit: () => this.#isCalm || next(4) > 0,
      answer: (id) => this.#answer(id),
    });
  }

  #answer(id: string): Answer {
    this.tried.push(id);
    if (!this.#redelivered.has(id)) expect(this.#pendingBefore(id), `${id} was tried`).to.deep.equal([]);
    return this.#isCalm ? DELIVERED : [DELIVERED, RETRY, RETRY, REFUSED][this.next(4)]!;
  }

  /** The messages before one that are not over. */
  #pendingBefore(id: string): readonly string[] {
    const chain = [...this.#made.values()].find((ids) => ids.includes(id))!;
    return chain.slice(0, chain.indexOf(id)).filter((one) => {
      const state = this.#deliveries.all.get(one)?.state ?? 'gone';
      return PENDING.includes(state) && !this.#redelivered.has(one);
    });
  }

  async #dispatch(chain: Chain, isAgain: boolean): Promise<void> {
    const ids = this.#made.get(chain)!;
    const [subscriptionId, channel] = chain.split('/') as [string, string];
    const place = isAgain ? ids.length - 1 : ids.length;
    if (place < 0 || (isAgain && !this.#deliveries.all.has(ids[place]!))) return;
    const id = `${chain}/${String(place).padStart(3, '0')}`;
    const after = ids[place - 1];
    const event: DispatchEvent = {
      type: 'dispatch',
      now: this.#now,
      message: channel === 'email' ? MAIL : WEBHOOK,
      about: { tenant: TENANT, server: 'web-1', subscriptionId, factId: 1 },
      overdue: !isAgain && this.next(8) === 0,
      ...(after === undefined ? {} : { after }),
    };
    if (!isAgain) ids.push(id);
    await this.#deliveries.dispatch(id, event);
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from.length === 0 ? undefined : from[this.next(from.length)];
  }

  /** The deliveries in one of these states. */
  #in(...states: readonly string[]): readonly string[] {
    return [...this.#deliveries.all].flatMap(([id, { state }]) => (states.includes(state) ? [id] : []));
  }

  /** Takes one random step. */
  async step(): Promise<void> {
    const deliveries = this.#deliveries;
    const now = this.#now;
    const kind = this.next(16);
    if (kind < 3) return this.#dispatch(CHAINS[this.next(CHAINS.length)]!, false);
    if (kind === 3) return this.#dispatch(CHAINS[this.next(CHAINS.length)]!, true);
    if (kind < 8) {
      const one = this.#pick(deliveries.startable());
      return one && deliveries.start(one);
    }
    if (kind < 11) {
      const one = this.#pick(deliveries.reports);
      return one && deliveries.report(one);
    }
    if (kind === 11) return deliveries.crash();
    if (kind === 12) return void (this.#now += [1, 1_000, GIVE_UP, KEEP, DEAD][this.next(5)]!);
    const [id, event] =
      kind === 13
        ? ([this.#pick(this.#in('waiting')), { type: 'acquired', now }] as const)
        : kind === 14
          ? ([this.#pick([...deliveries.all.keys()]), { type: 'wake', now }] as const)
          : ([
              this.#pick(this.#in('dead')),
              { type: this.next(2) === 0 ? 'redeliver' : 'discard', now },
            ] as const);
    if (id === undefined) return;
    if (event.type === 'redeliver') this.#redelivered.add(id);
    deliveries.ask(id, event);
  }

  /** From now on every receiver works, and every effect is performed. Returns the deliveries that are not over in the end. */
  async calmDown(): Promise<readonly string[]> {
    const deliveries = this.#deliveries;
    this.#isCalm = true;
    deliveries.crash();
    for (let round = 0; round < 1_000; round += 1) {
      for (const id of this.#in('waiting')) deliveries.ask(id, { type: 'acquired', now: this.#now });
      const startable = deliveries.startable();
      if (startable.length === 0 && this.#in('waiting').length === 0) break;
      for (const one of startable) await deliveries.start(one);
      while (deliveries.reports.length > 0) deliveries.report(deliveries.reports[0]!);
    }
    return this.#in(...PENDING, 'ending');
  }
}

describe('the order of messages', () => {
  it('holds in random stories, and no message stays blocked', async () => {
    let behind = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.nat(5_039)),
        fc.integer({ min: 20, max: 150 }),
        async (stream, steps) => {
          const story = new Story((below) => stream.next().value! % below);
          for (let step = 0; step < steps; step += 1) await story.step();
          expect(await story.calmDown()).to.deep.equal([]);
          behind += story.tried.length;
        },
      ),
      { numRuns: 100 },
    );
    expect(behind).to.be.above(500);
  });
});
