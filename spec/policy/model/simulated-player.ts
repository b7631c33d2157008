import type { EmailMessage, WebhookMessage } from '../../../src/delivery/port.js';
import type { RuleChange, RuleDraft } from '../../../src/policy/rules/rule.js';
import type { ServerContext } from '../../../src/policy/server/server-context.js';
import { seeded } from '../../faults/stage/random.js';
import type { Attempted, Tried } from './expected-order.js';
import { messageOf } from './live-message.js';
import { HangingAttempts, Outages } from './outages.js';
import { SimulatedService, TENANT_ID } from './simulated-service.js';
import type {
  PlainMessage,
  PlainRule,
  PlainSummary,
  PlainTransition,
  RefusedStep,
  Step,
  Story,
} from './story.js';

const SERVER = 'web-1';
/** Time after the end of a story in which every message is delivered, ms: retries are at most 5 minutes apart. */
const LAST_MS = 1_200_000;
/** Transitions that a history has at least. */
const HISTORY = 200;

/** What a service did in a story. */
export interface Simulated extends Tried {
  /** The story with the refusals of the receivers, and a wait until all is delivered. */
  readonly story: Story;
  /** The newest transitions, oldest first. */
  readonly transitions: readonly (PlainTransition & { readonly sentence: string })[];
  readonly subscriptions: Readonly<Record<string, SimulatedSummary>>;
}

/** What explain says of a subscription. */
export interface SimulatedSummary extends Pick<
  PlainSummary,
  'state' | 'since' | 'suspended' | 'acknowledgedAt' | 'firings' | 'unsent'
> {
  readonly sentence: string;
}

/** Plays a story on a service of its own, as fast as it can. */
export async function simulate(story: Story, seed: number): Promise<Simulated> {
  const player = new SimulatedPlayer(story, seed);
  try {
    return await player.play();
  } finally {
    await player.close();
  }
}

class SimulatedPlayer {
  readonly #service: SimulatedService;
  readonly #outages = new Outages();
  readonly #hanging = new HangingAttempts();
  readonly #rules = new Map<string, string>();
  readonly #subscriptions = new Map<string, { readonly id: string; readonly rule: string }>();
  readonly #webhooks: Attempted<PlainMessage>[] = [];
  readonly #mails: Attempted<EmailMessage>[] = [];
  readonly #steps: Step[] = [];

  constructor(
    private readonly story: Story,
    seed: number,
  ) {
    const hanging = this.#hanging;
    this.#service = new SimulatedService({
      random: seeded(seed),
      hanging: () => hanging.count,
      nextAnswer: () => hanging.next,
      answer: () => hanging.end(this.#service.now),
      ended: () => hanging.clear(),
      senders: {
        webhook: { send: (id, message) => this.#webhook(id, message), close: async () => {} },
        email: { send: (id, message) => this.#mail(id, message), close: async () => {} },
        mirror: { send: () => Promise.reject(new Error('nothing is mirrored')), close: async () => {} },
      },
    });
  }

  async play(): Promise<Simulated> {
    const { steps, rules, windowsize } = this.story;
    await this.#service.begin(steps[0]!.at);
    const { policy } = this.#service;
    await policy.tenants.resize(TENANT_ID, windowsize);
    for (const [name, rule] of Object.entries(rules)) {
      const draft = this.#draft(name, rule);
      const id = this.#isGeneric(name)
        ? await policy.genericRules.add(TENANT_ID, draft)
        : (await policy.servers.addRules(TENANT_ID, SERVER, [draft]))[0]!;
      this.#rules.set(name, id);
    }
    for (const step of steps) await this.#take(step);
    await this.#take({ at: this.#service.now + LAST_MS, do: 'wait' });
    if (this.#service.isDelivering) throw new Error('deliveries are still pending');
    return {
      story: { ...this.story, steps: this.#steps },
      webhooks: this.#webhooks,
      mails: this.#mails,
      transitions: await this.#transitions(),
      subscriptions: await this.#summaries(),
    };
  }

  close(): Promise<void> {
    return this.#service.close();
  }

  async #take(step: Step): Promise<void> {
    await this.#service.passTo(step.at);
    this.#steps.push(step);
    if (step.do === 'restart') await this.#service.restart();
    else if (step.do === 'kill') this.#service.killAfter(step.commits);
    else if (step.do === 'outage') this.#outages.begin(step.receiver, step.how, step.until);
    else {
      const before = this.#counted();
      await this.#service.run(
        () => this.#do(step),
        () => step.do !== 'facts' || this.#counted() === before,
      );
    }
  }

  async #do(step: Step): Promise<void> {
    const { policy } = this.#service;
    switch (step.do) {
      case 'facts':
        await policy.servers.facts(TENANT_ID, SERVER, { measures: step.facts, source: undefined });
        break;
      case 'subscribe':
      case 'resume': {
        const rule = step.do === 'subscribe' ? step.rule : this.#subscriptions.get(step.subscription)!.rule;
        const wanted = { ruleId: this.#rules.get(rule)!, url: `https://example.org/${step.subscription}` };
        const id = await policy.subscriptions.add(TENANT_ID, SERVER, wanted);
        this.#subscriptions.set(step.subscription, { id, rule });
        break;
      }
      // What is to be ended may have ended: a request is repeated after a kill.
      case 'unsubscribe': {
        const { id } = this.#subscriptions.get(step.subscription)!;
        await unless('not-found', policy.subscriptions.remove(TENANT_ID, SERVER, id));
        break;
      }
      case 'change': {
        const id = this.#rules.get(step.rule)!;
        const change = step.to as RuleChange;
        if (this.#isGeneric(step.rule)) await policy.genericRules.change(TENANT_ID, id, change);
        else await policy.servers.changeRule(TENANT_ID, SERVER, id, change);
        break;
      }
      case 'delete': {
        const id = this.#rules.get(step.rule)!;
        if (this.#isGeneric(step.rule)) await unless('not-found', policy.genericRules.remove(TENANT_ID, id));
        else await unless('not-found', policy.servers.removeRule(TENANT_ID, SERVER, id));
        break;
      }
      case 'mute':
        await policy.mutes.mute(this.#path(step.subscription), { until: new Date(step.until).toISOString() });
        break;
      case 'unmute':
        await policy.mutes.unmute(this.#path(step.subscription));
        break;
      case 'acknowledge':
        await unless('conflict', policy.mutes.acknowledge(this.#path(step.subscription), 'ann', undefined));
        break;
      case 'unacknowledge':
        await policy.mutes.unacknowledge(this.#path(step.subscription));
        break;
      case 'resize':
        await policy.tenants.resize(TENANT_ID, step.windowsize);
        break;
      case 'quiet':
      case 'unquiet':
        throw new Error(`${step.do} is played over HTTP alone`);
      case 'wait':
      case 'refused':
      case 'outage':
      case 'restart':
      case 'kill':
    }
  }

  async #webhook(id: string, { url, body }: WebhookMessage) {
    const message = messageOf({ url, body });
    const { subscription, fact, since } = message;
    const { answer, isRead } = this.#outages.meet(subscription, this.#service.now);
    if (isRead) this.#webhooks.push({ id, message, isOver: answer?.result !== 'retry' });
    if (answer?.result === 'refused') {
      const refused: RefusedStep = { do: 'refused', subscription, fact, since };
      this.#steps.push({ at: this.#service.now, ...refused });
    }
    return answer ?? this.#hanging.add(this.#service.now);
  }

  async #mail(id: string, message: EmailMessage) {
    const { answer, isRead } = this.#outages.meet('mail', this.#service.now);
    if (isRead) this.#mails.push({ id, message, isOver: answer?.result !== 'retry' });
    return answer ?? this.#hanging.add(this.#service.now);
  }

  async #summaries(): Promise<Simulated['subscriptions']> {
    const { policy } = this.#service;
    const ended = new Set<string>();
    for (const step of this.story.steps) {
      if (step.do === 'unsubscribe') ended.add(step.subscription);
      if (step.do === 'delete') {
        for (const [name, { rule }] of this.#subscriptions) if (rule === step.rule) ended.add(name);
      }
    }
    const summaries: Record<string, Simulated['subscriptions'][string]> = {};
    for (const [name, { id, rule }] of this.#subscriptions) {
      if (ended.has(name)) continue;
      const explained = await policy.explain.rule(TENANT_ID, SERVER, this.#rules.get(rule)!);
      const shown = explained.subscriptions.find(({ subscriptionId }) => subscriptionId === id)!;
      const { state, firings, unsent, suspended, sentence, ack } = shown;
      const acknowledgedAt = ack === undefined ? null : Date.parse(ack.at);
      const since = shown.since === null ? null : Date.parse(shown.since);
      summaries[name] = {
        state,
        since,
        suspended: suspended !== undefined,
        acknowledgedAt,
        firings,
        unsent,
        sentence,
      };
    }
    return summaries;
  }

  async #transitions(): Promise<Simulated['transitions']> {
    const names = new Map([...this.#subscriptions].map(([name, { id }]) => [id, name]));
    const newest = await this.#service.policy.explain.history(TENANT_ID, SERVER, HISTORY);
    return newest.toReversed().map(({ at, subscriptionId, from, to, factId, sentence }) => {
      return { at, subscription: names.get(subscriptionId)!, from, to, fact: factId, sentence };
    });
  }

  /** Returns the number of the last fact. */
  #counted(): number {
    const stored = this.#service.store.documents.get(`server/${TENANT_ID}/${SERVER}`);
    return stored === undefined ? 0 : (JSON.parse(stored.frequent) as ServerContext).factId;
  }

  #draft(name: string, rule: PlainRule): RuleDraft {
    const isMailed = this.story.mailed?.includes(name) === true;
    const action = isMailed
      ? { actionName: 'notify-email', email: 'ops@example.org', body: 'Look.' }
      : { actionName: 'notify-scale', operation: 'scaleUp' };
    return { name, action, ...rule } as RuleDraft;
  }

  #isGeneric(rule: string): boolean {
    return this.story.generic.includes(rule);
  }

  #path(subscription: string) {
    const subscriptionId = this.#subscriptions.get(subscription)!.id;
    return { tenantId: TENANT_ID, serverId: SERVER, subscriptionId };
  }
}

/** Resolves also if the operation is refused with this code. */
async function unless(code: string, operation: Promise<unknown>): Promise<void> {
  await operation.catch((error: unknown) => {
    if ((error as { code?: string }).code !== code) throw error;
  });
}
