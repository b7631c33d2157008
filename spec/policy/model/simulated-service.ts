import { type ActorFault, startActors } from '../../../src/actors/runtime.js';
import type { Actors } from '../../../src/actors/kind.js';
import { createDeliveries, deliveryDispatcher } from '../../../src/delivery/deliveries.js';
import { deliveryKind, type Senders } from '../../../src/delivery/delivery-kind.js';
import { endpointKind } from '../../../src/delivery/endpoint/endpoint-kind.js';
import type { Dispatcher } from '../../../src/delivery/queue/dispatcher.js';
import { remainsIn } from '../server-remains.js';
import { createPolicy, type Policy, policyKinds } from '../../../src/policy/policy.js';
import { subscriptionOwner } from '../../../src/policy/subscriptions/subscription-owner.js';
import type { Store } from '../../../src/store/port.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { SETTINGS } from '../server/driven-server.js';
import { driveTimers } from './driven-timers.js';
import { GAP_S } from './random-stories.js';
import { openQuietPlans } from '../../../src/policy/quiet/plans.js';
import { specSeal } from '../../delivery/spec-seal.js';

export const TENANT_ID = 'acme';

const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;
/** Turns of the event loop without work after which a service is idle. */
const IDLE_TURNS = 4;
const TURNS_MAX = 20_000;
/** Time after which what is due and did not happen is tried again, ms: the interval of the timers. */
const TICK_MS = 250;

/** One process of the service: its actors, rules and deliveries on a store. */
interface Process {
  readonly actors: Actors;
  readonly dispatcher: Dispatcher;
  readonly policy: Policy;
  readonly life: Life;
}

/** The life of a process. Once it is over, calls of its store and its senders never end. */
class Life {
  isOver = false;
  #end: () => void = () => {};
  readonly over = new Promise<void>((resolve) => (this.#end = resolve));

  /** Commits until it is over. */
  constructor(public left = Infinity) {}

  end(): void {
    this.isOver = true;
    this.#end();
  }
}

export interface SimulatedOptions {
  readonly senders: Senders;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Attempts that wait for an answer at present. */
  readonly hanging: () => number;
  /** When the next of them has its answer, ms since the epoch; Infinity without one. */
  readonly nextAnswer: () => number;
  /** Lets the attempts whose time has come have their answers. */
  readonly answer: () => void;
  /** Called when a process has ended: its attempts never have an answer. */
  readonly ended: () => void;
}

/**
 * The service without HTTP: the real actors, rules and deliveries on a store in memory, with senders of the spec. The spec
 * moves the clock, and every timer follows it. Processes can be killed and started again.
 */
export class SimulatedService {
  /** ms since the epoch. */
  now = 0;
  readonly faults: ActorFault[] = [];
  readonly store = memoryStore();
  readonly #timers = driveTimers();
  #process: Process;
  #ids = 0;

  constructor(private readonly options: SimulatedOptions) {
    this.#process = this.#start();
  }

  get policy(): Policy {
    return this.#process.policy;
  }

  async begin(now: number): Promise<void> {
    this.now = now;
    await this.policy.tenants.seen({ id: TENANT_ID, name: TENANT_ID });
  }

  /** Kills the process after so many further commits. */
  killAfter(commits: number): void {
    this.#process.life.left = commits;
  }

  /** Stops the process and starts another one. */
  async restart(): Promise<void> {
    const { actors, dispatcher } = this.#process;
    await Promise.all([dispatcher.close(), actors.close()]);
    this.#again();
  }

  /**
   * Runs an operation until its effects are over. Starts another process if this one is killed meanwhile; `again` says
   * whether the operation is to be repeated then.
   */
  async run(operation: () => Promise<unknown>, again: () => boolean = () => true): Promise<void> {
    let isDone = false;
    while (!isDone) {
      const { life } = this.#process;
      await Promise.race([operation().then(() => void (isDone = true)), life.over]);
      if (life.isOver) {
        this.#again();
        if (!isDone) isDone = !again();
      }
    }
    await this.passTo(this.now);
  }

  /** Moves the clock to a time, and stops at each time for which something is planned. */
  async passTo(at: number): Promise<void> {
    for (;;) {
      await this.#tickUntilIdle();
      const next = this.#planned();
      if (next > at) break;
      // What is due and did not happen has to wait for the next tick of a timer.
      this.now = next > this.now ? next : Math.min(at, this.now + TICK_MS);
      if (this.now === at && next <= at) {
        await this.#tickUntilIdle();
        if (this.#planned() <= at) break;
      }
    }
    this.now = Math.max(this.now, at);
  }

  /** True if a delivery is neither delivered nor a dead letter. */
  get isDelivering(): boolean {
    return [...this.store.documents].some(
      ([id, { state }]) => id.startsWith('delivery/') && state !== 'delivered' && state !== 'dead',
    );
  }

  async close(): Promise<void> {
    this.#timers.restore();
    const { actors, dispatcher } = this.#process;
    await Promise.all([dispatcher.close(), actors.close()]);
  }

  /** When something is planned first, ms since the epoch. */
  #planned(): number {
    let first = this.options.nextAnswer();
    for (const { wakeAt } of this.store.documents.values()) {
      if (wakeAt !== undefined && wakeAt < first) first = wakeAt;
    }
    return first;
  }

  /** Lets the timers run out until that changes nothing. */
  async #tickUntilIdle(): Promise<void> {
    for (;;) {
      const before = this.store.calls.length;
      this.options.answer();
      this.#timers.tick();
      await this.#idle();
      if (this.store.calls.length === before) return;
    }
  }

  async #idle(): Promise<void> {
    let idle = 0;
    for (let turns = 0; idle < IDLE_TURNS; turns += 1) {
      if (turns > TURNS_MAX) throw new Error('the service does not become idle');
      await new Promise(setImmediate);
      if (this.#process.life.isOver) {
        this.#again();
        continue;
      }
      const { waiting, commitsPending, effectsRunning } = this.#process.actors.stats();
      const isIdle = waiting + commitsPending === 0 && effectsRunning <= this.options.hanging();
      idle = isIdle ? idle + 1 : 0;
    }
  }

  #again(): void {
    this.#timers.clear();
    this.options.ended();
    this.#process = this.#start();
  }

  #start(): Process {
    const { senders, random } = this.options;
    const now = (): number => this.now;
    const clock = { now, random };
    const life = new Life();
    const store = this.#storeIn(life);
    const settings = { ...SETTINGS, gapMs: GAP_S * 1_000, mailIntervalMs: 0, outboxLimit: 2_000 };
    const dispatcher = deliveryDispatcher(
      () => actors,
      store,
      clock,
      (error) => this.faults.push({ what: 'sweep', error }),
    );
    const deliveries = createDeliveries({ actors: () => actors, store, dispatcher });
    const onDeadLetterEnded = (): void => {};
    const times = { giveUpMs: MONTH_MS, keepMs: DAY_MS, deadMs: MONTH_MS };
    const plans = openQuietPlans(now);
    const remains = remainsIn(store, now);
    const actors: Actors = startActors({
      store,
      now,
      kinds: [
        ...policyKinds({ store, deliveries, settings, broker: undefined, plans, remains, now }),
        deliveryKind({
          senders: sendersIn(life, senders),
          settings: times,
          clock,
          dispatcher,
          onAttempt: () => {},
          onDeadLetterEnded,
          receivers: { answered: () => {}, failed: async () => {} },
        }),
        endpointKind({ store, owner: subscriptionOwner(now), deadMs: MONTH_MS, now, onDeadLetterEnded }),
      ],
      onFault: (fault) => this.faults.push(fault),
    });
    const policy = createPolicy({
      actors,
      store,
      broker: undefined,
      plans,
      remains,
      webhookMaster: Buffer.alloc(32),
      headerSeal: specSeal,
      publicUrl: () => 'http://localhost',
      now,
      newId: () => `id${(this.#ids += 1)}`,
    });
    dispatcher.start();
    return { actors, dispatcher, policy, life };
  }

  #storeIn(life: Life): Store {
    const { store } = this;
    return {
      ...store,
      load: during(life, (id) => store.load(id)),
      due: during(life, (now, limit) => store.due(now, limit)),
      queues: during(life, (after, limit) => store.queues(after, limit)),
      queued: during(life, (queue, from, limit) => store.queued(queue, from, limit)),
      commit: during(life, (batch) => {
        if (life.left > 0) {
          life.left -= 1;
          return store.commit(batch);
        }
        life.end();
        return NEVER;
      }),
    };
  }
}

const NEVER = new Promise<never>(() => {});

/** Returns a function whose calls never end once a life is over. */
function during<A extends unknown[], R>(life: Life, call: (...args: A) => Promise<R>) {
  return (...args: A): Promise<R> => (life.isOver ? NEVER : call(...args));
}

function sendersIn(life: Life, { webhook, email, mirror }: Senders): Senders {
  return {
    webhook: { ...webhook, send: during(life, (...args) => webhook.send(...args)) },
    email: { ...email, send: during(life, (...args) => email.send(...args)) },
    mirror: { ...mirror, send: during(life, (...args) => mirror.send(...args)) },
  };
}
