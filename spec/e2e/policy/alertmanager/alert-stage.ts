import type { ServerResponse } from 'node:http';
import type { Explanation } from '../../../../src/policy/explain/shapes.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { Scenes } from '../../scene.js';
import { addRule, cpu, okBody, windowSize } from '../actions.js';

export const START = Date.parse('2026-11-21T10:00:00Z');
/** The default of ALERT_RESEND_S. */
export const RESEND_S = 60;
export const SERVER = '/v1.0/demo/servers/web-1';
export const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

/** An alert as it is posted. */
export interface Posted {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL: string;
}

/** A delivery as the list of deliveries shows it. */
export interface Listed {
  readonly id: string;
  readonly tenant: string;
  readonly state: string;
  readonly to: string;
  readonly since: string;
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly { readonly result: string }[];
}

/** A service whose clock stands still unless the spec moves it, and a receiver in the place of an Alertmanager. */
export async function alertStage(open: Scenes) {
  const clock = { now: START };
  const answer: { now: (response: ServerResponse) => void } = { now: (response) => response.end() };
  const receiver = await open.receiver((response) => answer.now(response));
  const settings = { WINDOW_GAP_S: '0', DATA_DIR: await open.folder() };
  const start = () => open.service(settings, () => clock.now);
  let service = await start();
  await windowSize(service.api, 1);
  const posted = (): readonly (readonly Posted[])[] =>
    receiver.got.map(({ body }) => JSON.parse(body) as readonly Posted[]);
  const list = async <T>(path: string, member: string): Promise<readonly T[]> =>
    okBody(await service.api.call('GET', `/operator/${path}`))[member] as unknown as readonly T[];
  const deliveries = () => list<Listed>('deliveries?limit=50', 'deliveries');
  /** Resolves once the next messages are planned for the next minute. */
  const planned = (): Promise<true> =>
    eventually(
      async () => {
        const alerts = await list<{ wakeAt: string }>('actors?kind=alert&limit=50', 'actors');
        return alerts.every(({ wakeAt }) => Date.parse(wakeAt) <= clock.now + 60_000) || undefined;
      },
      SOON_MS,
      () => 'an alert waits for longer than a minute',
    );
  return {
    receiver,
    posted,
    planned,
    /** Sets the clock back; resolves once the service has noticed it. */
    async setBack(seconds: number): Promise<void> {
      clock.now -= seconds * 1_000;
      await planned();
    },
    get api() {
      return service.api;
    },
    now: () => clock.now,
    /** Answers with a status from now on. */
    answers: (status: number, headers: Readonly<Record<string, string>> = {}): void => {
      answer.now = (response) => void response.writeHead(status, headers).end();
    },
    /** Holds the answers until `release` is called. */
    holds(): () => void {
      const held: ServerResponse[] = [];
      answer.now = (response) => void held.push(response);
      return () => {
        answer.now = (response) => void response.end();
        for (const response of held) response.end();
      };
    },
    /** Lets seconds pass. */
    pass: (seconds: number): void => void (clock.now += seconds * 1_000),
    /** Calls `change` while the service is stopped. */
    stopped: async (change: () => void): Promise<void> => {
      await service.close();
      change();
      service = await start();
    },
    cpu: (value: number) => cpu(service.api, 'web-1', value),
    /** Subscribes a rule, a new one unless it has an id. */
    async add(rule: object = {}, of: { readonly ruleId?: string } = {}) {
      const { ruleId = await addRule(service.api, 'web-1', { ...BUSY, ...rule }) } = of;
      const wanted = { ruleId, url: receiver.origin, format: 'alertmanager' };
      const answered = await service.api.call('POST', `${SERVER}/subscription`, wanted);
      return { ruleId, subscriptionId: okBody(answered)['subscriptionId']! as string };
    },
    /** Resolves with the newest post once there are so many. */
    async newest(count: number): Promise<readonly Posted[]> {
      await eventually(
        () => (receiver.got.length >= count ? true : undefined),
        SOON_MS,
        () => `${receiver.got.length} of ${count} posts: ${JSON.stringify(posted().at(-1))}`,
      );
      return posted()[count - 1]!;
    },
    explained: async (ruleId: string) =>
      (okBody(await service.api.call('GET', `${SERVER}/rules/${ruleId}/explain`)) as unknown as Explanation)
        .subscriptions[0]!,
    deliveries,
    /** Resolves with all deliveries once each is delivered. */
    deliveredOnes: () =>
      eventually(
        async () => {
          const found = await deliveries();
          return found.every(({ state }) => state === 'delivered') ? found : undefined;
        },
        SOON_MS,
        () => 'a delivery is not delivered',
      ),
    /** Resolves with the states of the actors of alerts once they are these. */
    states: (...wanted: readonly string[]) =>
      eventually(
        async () => {
          const alerts = await list<{ state: string; outbox: readonly object[] }>(
            'actors?kind=alert&limit=50',
            'actors',
          );
          const found = alerts.map(({ state }) => state);
          return JSON.stringify(found) === JSON.stringify(wanted) ? found : undefined;
        },
        SOON_MS,
        async () =>
          `not ${wanted.join()}: ${JSON.stringify(await list('actors?kind=alert&limit=50', 'actors'))}`,
      ),
  };
}
