import { setTimeout as delay } from 'node:timers/promises';
import type { Author } from '../../actors/kind.js';
import { Refusal } from '../../errors.js';
import type { Policy } from '../../policy/policy.js';
import type { RuleDraft } from '../../policy/rules/rule.js';
import { singleFlight } from '../../system/ttl-cache.js';
import type { DemoView } from '../shapes.js';
import { type Point, readSeries } from './series.js';

/** Plays a part of the CPU series of examples/ against a rule, for an empty service. */
export type Demo = ReturnType<typeof createDemo>;

export interface DemoOptions {
  readonly policy: Pick<Policy, 'tenants' | 'servers' | 'by'>;
  /** The tenant that owns the server. */
  readonly tenant: { readonly id: string; readonly name: string };
  /** Returns the address of this process. */
  readonly localUrl: () => string;
  /** Returns why a url is not a target of webhooks; undefined if it is one. */
  readonly refuseTarget: (url: string) => string | undefined;
  /** Called for an error that ends the play. */
  readonly onError: (error: unknown) => void;
}

/** Path of the receiver. */
export const DEMO_RECEIVER = '/console/demo-receiver';

const SERVER_ID = 'demo-cpu';
const RULE: RuleDraft = {
  name: 'Demo: the mean CPU load is above 85 %',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};
/** The part of the series with the rise of the load from 34 % to nearly 100 %, and some hours before it. */
const PART = { from: 3_475, points: 400 };
/** Time between two facts, ms. */
const PACE_MS = 50;

/** The demo before it is started. */
const IDLE: DemoView = {
  running: false,
  sent: 0,
  total: PART.points,
  firings: 0,
  tenantId: null,
  serverId: null,
};

/** Creates the demo of a node. */
export function createDemo(options: DemoOptions) {
  const { policy, tenant, localUrl, refuseTarget, onError } = options;
  const closing = new AbortController();
  const starts = singleFlight<DemoView>();
  let playing: Promise<void> | undefined;
  let shown = IDLE;

  const count = (fired: number): void => {
    shown = { ...shown, sent: shown.sent + 1, firings: shown.firings + fired };
  };

  const play = async (tenantId: string, points: readonly Point[]): Promise<void> => {
    for (const { cpu } of points) {
      const { fired } = await policy.servers.facts(tenantId, SERVER_ID, {
        measures: [{ cpu }],
        source: undefined,
      });
      count(fired);
      await delay(PACE_MS, undefined, { signal: closing.signal, ref: false });
    }
  };

  const begin = async (author: Author | undefined): Promise<DemoView> => {
    const url = `${localUrl()}${DEMO_RECEIVER}`;
    const refused = refuseTarget(url);
    if (refused !== undefined) throw new Refusal('conflict', `the demo cannot start: ${refused}`);
    await policy.tenants.seen(tenant);
    await subscribe(policy.by(author), tenant.id, url);
    const points = (await readSeries()).slice(PART.from, PART.from + PART.points);
    shown = { ...IDLE, running: true, total: points.length, tenantId: tenant.id, serverId: SERVER_ID };
    playing = play(tenant.id, points)
      .catch((error: unknown) => {
        if (!closing.signal.aborted) onError(error);
      })
      .finally(() => {
        shown = { ...shown, running: false };
      });
    return shown;
  };

  return {
    view: (): DemoView => shown,
    /** Starts to play, unless it plays already. Rejects with `Refusal` if the rule or its subscription is refused. */
    start: async (author?: Author): Promise<DemoView> =>
      shown.running ? shown : starts('start', () => begin(author)),
    async close(): Promise<void> {
      closing.abort();
      await playing;
    },
  };
}

/** Makes the rule and its subscription, unless they exist. Ends subscriptions with the receiver's address before a restart. */
async function subscribe(
  { servers, subscriptions }: Pick<Policy, 'servers' | 'subscriptions'>,
  tenantId: string,
  url: string,
): Promise<void> {
  const server = await servers.read(tenantId, SERVER_ID);
  const known = server?.rules.find(({ name }) => name === RULE.name)?.ruleId;
  const ruleId = known ?? (await servers.addRules(tenantId, SERVER_ID, [RULE]))[0]!;
  for (const former of server?.subscriptions ?? []) {
    if (former.ruleId !== ruleId || former.url === url || !former.url.endsWith(DEMO_RECEIVER)) continue;
    await subscriptions.remove(tenantId, SERVER_ID, former.id);
  }
  await subscriptions.add(tenantId, SERVER_ID, { ruleId, url });
}
