import { expect } from 'chai';
import type { ApiAnswer, ApiClient } from '../../e2e/api-client.js';
import { factsBody, okBody } from '../../e2e/policy/actions.js';
import type { Receiver } from '../../delivery/senders/receiver.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { inOrder, messageOf } from './live-message.js';
import type { Troubles } from './live-troubles.js';
import type { PlainFact, PlainMessage, PlainSummary, Step, Story } from './story.js';

/** What a service sent and explains after a story, for the comparison with the `Outcome` of the model. */
export interface Played {
  /** The story with the refusals of the receivers. */
  readonly story: Story;
  readonly messages: readonly PlainMessage[];
  readonly subscriptions: Readonly<Record<string, Pick<PlainSummary, 'state' | 'firings' | 'unsent'>>>;
}

/** The service that plays stories, for the tenant named `demo`, and its clock. */
export interface Stage {
  readonly api: ApiClient;
  readonly tenantId: string;
  readonly receiver: Receiver;
  /** Undefined if nothing troubles it. */
  readonly troubles?: Troubles;
  /** The clock of the service, ms since the epoch. */
  now: number;
}

interface Delivery {
  readonly state: string;
  readonly nextAttemptAt: string | null;
  readonly waitsFor: string | null;
}

const isSending = ({ nextAttemptAt, waitsFor }: Delivery): boolean =>
  nextAttemptAt === null && waitsFor === null;

interface Actor {
  readonly wakeAt: string | null;
  readonly outbox: readonly unknown[];
}

/** The service looks for deliveries so often by its timers, ms. */
const TICK_MS = 250;
/** Looks after which a delivery that is due waits for the clock: failures in a row hold a receiver. */
const HELD = 50;
const MAIL_ACTION = { actionName: 'notify-email', email: 'ops@example.org', body: 'Look.' };
const ACTION = { actionName: 'notify-scale', operation: 'scaleUp' };
const ATTRIBUTES: Readonly<Record<string, string>> = {
  cpu: 'cpuLoadPct',
  mem: 'usedMemPct',
  hdd: 'freeSpacePct',
  net: 'netLoadPct',
};

/** Plays a story over HTTP on a server of its own. The clock stands still between its steps. */
export async function play(stage: Stage, story: Story, server: string): Promise<Played> {
  const player = new Player(stage, story, server);
  await player.begin();
  for (const step of story.steps) await player.take(step);
  // Retries are at most 5 minutes apart.
  if (stage.troubles !== undefined) await player.take({ at: stage.now + 1_200_000, do: 'wait' });
  const played = await player.outcome();
  await player.end();
  return played;
}

/** The quiet time of the server that plays. */
const QUIET_PATH = '/quiet/story';

class Player {
  readonly #rules = new Map<string, string>();
  readonly #subscriptions = new Map<string, { readonly id: string; readonly rule: string }>();
  readonly #steps: Step[] = [];
  /** Subscriptions whose receivers refused a message that their server may not know of yet. */
  readonly #refused = new Set<string>();
  /** Whether the tenant tells its servers of changes. */
  readonly #tells: boolean;
  /** Whether a rule has `noData` at some time. */
  readonly #wakes: boolean;

  constructor(
    private readonly stage: Stage,
    private readonly story: Story,
    private readonly server: string,
  ) {
    this.#tells = story.generic.length > 0 || story.steps.some((step) => step.do === 'quiet');
    const changes = story.steps.flatMap((step) => (step.do === 'change' ? [step.to] : []));
    this.#wakes = [...Object.values(story.rules), ...changes].some(({ noData }) => noData !== undefined);
  }

  async begin(): Promise<void> {
    this.stage.now = this.story.steps[0]?.at ?? this.stage.now;
    if (this.stage.troubles !== undefined) {
      this.stage.troubles.onRefused = (step) => {
        this.#steps.push({ at: this.stage.now, ...step });
        this.#refused.add(step.subscription);
      };
    }
    await this.#ask('PUT', '', { windowsize: this.story.windowsize });
    for (const [name, rule] of Object.entries(this.story.rules)) {
      const action = this.story.mailed?.includes(name) === true ? MAIL_ACTION : ACTION;
      const answer = await this.#ask('POST', this.#rulesPath(name), { name, action, ...rule });
      this.#rules.set(name, answer.body['ruleId']!);
    }
  }

  async take(step: Step): Promise<void> {
    await this.#clockTo(step.at);
    this.#steps.push(step);
    await this.#do(step);
    if (step.do !== 'facts') await this.#quiet();
  }

  async outcome(): Promise<Played> {
    await this.#quiet();
    await eventually(
      async () => ((await this.#allDelivered()) ? true : undefined),
      SOON_MS,
      () => 'deliveries are still pending',
    );
    const got = this.stage.receiver.got.filter(({ url }) => url.startsWith(`/${this.server}/`));
    const summaries: Record<string, Played['subscriptions'][string]> = {};
    for (const [name, { id, rule }] of this.#subscriptions) {
      const path = `/servers/${this.server}/rules/${this.#rules.get(rule)!}/explain`;
      const { subscriptions } = (await this.#ask('GET', path)).body;
      const shown = subscriptions as unknown as (PlainSummary & { readonly subscriptionId: string })[];
      const { state, firings, unsent } = shown.find(({ subscriptionId }) => subscriptionId === id)!;
      summaries[name] = { state, firings, unsent };
    }
    // A message may arrive again after a restart.
    const once = new Map(got.map((one) => [one.headers['webhook-id'], one]));
    const messages = inOrder([...once.values()].map(messageOf));
    return { story: { ...this.story, steps: this.#steps }, messages, subscriptions: summaries };
  }

  /** Removes the rules, so that this server does not wake while another one plays. */
  async end(): Promise<void> {
    for (const [name, id] of this.#rules) await this.#ask('DELETE', `${this.#rulesPath(name)}/${id}`);
  }

  async #do(step: Step): Promise<void> {
    const subscriptions = `/servers/${this.server}/subscription`;
    switch (step.do) {
      case 'facts': {
        const body = factsBody(...step.facts.map(attributesOf));
        await this.#ask('POST', `/servers/${this.server}`, body);
        break;
      }
      case 'subscribe':
      case 'resume': {
        const rule = step.do === 'subscribe' ? step.rule : this.#subscriptions.get(step.subscription)!.rule;
        const url = `${this.stage.receiver.origin}/${this.server}/${step.subscription}`;
        const { body } = await this.#ask('POST', subscriptions, { ruleId: this.#rules.get(rule), url });
        this.#subscriptions.set(step.subscription, { id: body['subscriptionId']!, rule });
        break;
      }
      case 'unsubscribe':
        await this.#ask('DELETE', `${subscriptions}/${this.#id(step.subscription)}`);
        this.#subscriptions.delete(step.subscription);
        break;
      case 'change': {
        const change = Object.keys(step.to).length === 0 ? { name: 'another name' } : step.to;
        await this.#ask('PUT', `${this.#rulesPath(step.rule)}/${this.#rules.get(step.rule)!}`, change);
        break;
      }
      case 'delete':
        await this.#ask('DELETE', `${this.#rulesPath(step.rule)}/${this.#rules.get(step.rule)!}`);
        this.#rules.delete(step.rule);
        for (const [name, { rule }] of this.#subscriptions) {
          if (rule === step.rule) this.#subscriptions.delete(name);
        }
        break;
      case 'mute': {
        const until = new Date(step.until).toISOString();
        await this.#ask('PUT', `${subscriptions}/${this.#id(step.subscription)}/mute`, { until });
        break;
      }
      case 'unmute':
        await this.#ask('DELETE', `${subscriptions}/${this.#id(step.subscription)}/mute`);
        break;
      case 'quiet': {
        const duration = (step.until - step.at) / 1_000;
        await this.#ask('PUT', QUIET_PATH, { servers: [this.server], duration });
        break;
      }
      case 'unquiet':
        await this.#ask('DELETE', QUIET_PATH, undefined, [200, 404]);
        break;
      case 'acknowledge':
        await this.#ask('PUT', `${subscriptions}/${this.#id(step.subscription)}/ack`, {}, [200, 409]);
        break;
      case 'unacknowledge':
        await this.#ask('DELETE', `${subscriptions}/${this.#id(step.subscription)}/ack`);
        break;
      case 'outage': {
        const receiver = step.receiver === 'mail' ? 'mail' : `${this.server}/${step.receiver}`;
        this.stage.troubles!.outages.begin(receiver, step.how, step.until);
        break;
      }
      case 'restart':
        await this.stage.troubles!.restart();
        break;
      case 'refused':
      case 'kill':
        throw new Error(`${step.do} is not played over HTTP`);
      case 'resize':
        await this.#ask('PUT', '', { windowsize: step.windowsize });
        break;
      case 'wait':
    }
  }

  /** Moves the clock to a time. It stops at each time for which the server or a delivery has planned something. */
  async #clockTo(at: number): Promise<void> {
    const { stage } = this;
    if (!this.#wakes && stage.troubles === undefined) {
      stage.now = at;
      return;
    }
    while (stage.now < at) {
      const planned = await this.#planned();
      // What is due and does not happen waits for the clock.
      stage.now = Math.min(at, planned > stage.now ? planned : stage.now + TICK_MS);
    }
    // A wake-up that is due now precedes what happens now.
    await this.#quiet();
  }

  /** Returns when something is planned, ms since the epoch; Infinity: nothing is. */
  async #planned(): Promise<number> {
    const { wakeAt = null } = (await this.#quiet()) ?? {};
    const times = wakeAt === null ? [] : [Date.parse(wakeAt)];
    if (this.stage.troubles !== undefined) {
      const pending = await this.#deliveries('&state=pending');
      for (const { nextAttemptAt } of pending)
        if (nextAttemptAt !== null) times.push(Date.parse(nextAttemptAt));
    }
    return Math.min(Infinity, ...times);
  }

  /** Resolves once nothing is under way and no wake-up is due. */
  async #quiet(): Promise<Actor | undefined> {
    const isQuiet = ({ wakeAt, outbox }: Actor): boolean =>
      outbox.length === 0 && (wakeAt === null || Date.parse(wakeAt) > this.stage.now);
    const look = async (kind: string, name: string): Promise<Actor | undefined | 'busy'> => {
      const answer = await this.stage.api.call(
        'GET',
        `/operator/actors/${kind}/${this.stage.tenantId}/${name}`,
      );
      if (answer.status === 404) return undefined;
      const actor = okBody(answer) as unknown as Actor;
      return isQuiet(actor) ? actor : 'busy';
    };
    let held = 0;
    const isDelivering = async (): Promise<boolean> => {
      if (this.stage.troubles === undefined) return false;
      const pending = await this.#deliveries('&state=pending');
      if (pending.some(isSending)) return true;
      const isDue = pending.some(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? '') <= this.stage.now);
      held = isDue ? held + 1 : 0;
      return isDue && held < HELD;
    };
    let last: unknown;
    return eventually(
      async () => {
        if ((await isDelivering()) || !(await this.#areRefusalsKnown())) return undefined;
        const tenant = this.#tells ? await look('tenant', 'tenant') : undefined;
        last = tenant === 'busy' ? tenant : await look('server', this.server);
        return last === 'busy' ? undefined : { actor: last as Actor | undefined };
      },
      SOON_MS,
      () => `${this.server} does not become quiet`,
    ).then(({ actor }) => actor);
  }

  /** A refusal suspends its subscription. The server learns of it after the delivery is over. */
  async #areRefusalsKnown(): Promise<boolean> {
    for (const name of this.#refused) {
      const id = this.#subscriptions.get(name)?.id;
      if (id !== undefined) {
        const path = `/servers/${this.server}/subscription/${id}`;
        if ((await this.#ask('GET', path)).body['suspended'] === undefined) return false;
      }
      this.#refused.delete(name);
    }
    return true;
  }

  /** All deliveries are looked through: one that changes its state could be missed by a search for a state. */
  async #allDelivered(): Promise<boolean> {
    const isOver = this.stage.troubles === undefined ? ['delivered'] : ['delivered', 'dead'];
    return (await this.#deliveries()).every(({ state }) => isOver.includes(state));
  }

  async #deliveries(more = ''): Promise<readonly Delivery[]> {
    const all: Delivery[] = [];
    let before = '';
    for (;;) {
      const path = `/operator/deliveries?tenant=${this.stage.tenantId}&server=${this.server}&limit=200${more}${before}`;
      const { deliveries, next } = okBody(await this.stage.api.call('GET', path)) as unknown as {
        readonly deliveries: readonly Delivery[];
        readonly next: string | null;
      };
      all.push(...deliveries);
      if (next === null) return all;
      before = `&before=${next}`;
    }
  }

  async #ask(method: string, path: string, body?: unknown, statuses = [200]): Promise<ApiAnswer> {
    const answer = await this.stage.api.call(method, `/v1.0/demo${path}`, body);
    const { status, text } = answer;
    expect(statuses, `${method} ${path} ${JSON.stringify(body)}: ${status}: ${text}`).to.include(status);
    return answer;
  }

  #rulesPath(rule: string): string {
    return this.story.generic.includes(rule) ? '/rules' : `/servers/${this.server}/rules`;
  }

  #id(subscription: string): string {
    return this.#subscriptions.get(subscription)!.id;
  }
}

/** Returns the attributes of a fact as brokers send them. */
export function attributesOf(fact: PlainFact): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fact).map(([metric, value]) => [
      ATTRIBUTES[metric] ?? metric,
      String(metric === 'hdd' ? 100 - value : value),
    ]),
  );
}
