import { setTimeout as pause } from 'node:timers/promises';
import { type Caller, callerOf } from './caller.js';
import { median, quantile, ratio } from './ratios.js';
import { sendCpu, startReceiver, startTimedReceiver } from './receivers.js';
import { startMirzam } from './target.js';

/** Subscriptions whose messages wait, and messages of each of them. */
const STUCK = { subscriptions: 100, messages: 10 };
/** Messages of each healthy receiver in one part of a round. */
const MEASURED = 200;
const USERS = 'demo:demo:demo,calm:calm:calm';

const ACTION = { actionName: 'notify-scale', operation: 'scaleUp' };
/** Says once that it holds, and once that it is over. */
const ONCE = {
  name: 'once',
  condition: { cpu: { value: 50, operand: 'greater' } },
  repeat: 0,
  resolve: true,
  action: ACTION,
};
/** Says with each measurement that it holds. */
const ALWAYS = {
  name: 'always',
  condition: { cpu: { value: 0, operand: 'greater equal' } },
  resolve: true,
  action: ACTION,
};

/** Waits of healthy receivers in one part of a round: from sending the fact to its webhook, 97 of 100 are shorter, ms. */
interface Waits {
  /** Of the tenant whose subscriptions wait. */
  readonly same: number;
  /** Of another tenant. */
  readonly other: number;
}

/**
 * Measures how long webhooks of healthy receivers take while the messages of 100 subscriptions wait for a receiver that
 * fails, as a ratio to that without them. Both alternate on one service. `mongodb`: the url of a database, instead of the
 * embedded store.
 */
export async function measureOrder({
  rounds,
  mongodb,
}: {
  readonly rounds: number;
  readonly mongodb: string | undefined;
}): Promise<object> {
  const settings: Record<string, string> = { IDENTITY_USERS: USERS };
  if (mongodb !== undefined) settings['MONGODB_URL'] = mongodb;
  const mirzam = await startMirzam('mirzam', settings);
  const receivers = await startReceivers();
  try {
    const demo = await callerOf(mirzam.url, 'demo');
    const calm = await callerOf(mirzam.url, 'calm');
    await demo('PUT', '/v1.0/demo', { windowsize: 1 });
    await calm('PUT', '/v1.0/calm', { windowsize: 1 });
    const urls = Array.from({ length: STUCK.subscriptions }, (_, n) => `${receivers.stuck}/${n}`);
    await subscribe(demo, '/v1.0/demo/servers/stuck', ONCE, urls);
    await subscribe(demo, '/v1.0/demo/servers/well', ALWAYS, [`${receivers.well.url}/same`]);
    await subscribe(calm, '/v1.0/calm/servers/well', ALWAYS, [`${receivers.well.url}/other`]);

    const measure = async (): Promise<Waits> => {
      const same: number[] = [];
      const other: number[] = [];
      for (let n = 0; n < MEASURED; n += 1) {
        same.push(await receivers.well.timed('/same', () => sendCpu(demo, '/v1.0/demo/servers/well', 90)));
        other.push(await receivers.well.timed('/other', () => sendCpu(calm, '/v1.0/calm/servers/well', 90)));
      }
      return { same: quantile(same, 0.97), other: quantile(other, 0.97) };
    };
    const withWaiting = async (): Promise<Waits> => {
      receivers.fail(true);
      for (let n = 0; n < STUCK.messages; n += 1)
        await sendCpu(demo, '/v1.0/demo/servers/stuck', n % 2 === 0 ? 97 : 10);
      await blocked(mirzam.url, STUCK.subscriptions * (STUCK.messages - 1));
      const waits = await measure();
      receivers.fail(false);
      while (receivers.taken() < STUCK.subscriptions * STUCK.messages) await pause(50);
      return waits;
    };

    await measure();
    const ratios: Waits[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const first = round % 2 === 0 ? await measure() : undefined;
      const waiting = await withWaiting();
      const quiet = first ?? (await measure());
      ratios.push({ same: ratio(waiting.same, quiet.same), other: ratio(waiting.other, quiet.other) });
      console.log(
        `round ${round + 1}  p97 quiet ${shown(quiet)}; while ${STUCK.subscriptions} subscriptions wait ${shown(waiting)}`,
      );
    }
    const figures = {
      rounds,
      same: median(ratios.map(({ same }) => same)),
      other: median(ratios.map(({ other }) => other)),
    };
    console.log(
      `\np97 of webhooks while ${STUCK.subscriptions} subscriptions wait in order, of quiet (median of ${rounds}): ` +
        `${figures.same} for the same tenant, ${figures.other} for another one`,
    );
    return figures;
  } finally {
    await mirzam.stop();
    await receivers.stop();
  }
}

function shown({ same, other }: Waits): string {
  return `${same.toFixed(1)} and ${other.toFixed(1)} ms`;
}

async function subscribe(call: Caller, server: string, rule: object, urls: readonly string[]): Promise<void> {
  const { ruleId } = await call('POST', `${server}/rules`, rule);
  for (const url of urls) await call('POST', `${server}/subscription`, { ruleId, url });
}

/** Resolves once so many messages are blocked behind an earlier one. */
async function blocked(url: string, count: number): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text();
    if (Number(/^mirzam_deliveries{state="blocked"} (\d+)$/m.exec(text)?.[1]) === count) return;
    await pause(250);
  }
}

/** The receivers of the bench, in this process: one that fails at times, and one that works. */
async function startReceivers() {
  let fails = false;
  let taken = 0;
  const stuck = await startReceiver((_path, response) => {
    if (!fails) taken += 1;
    response.writeHead(fails ? 503 : 200).end();
  });
  const well = await startTimedReceiver();
  return {
    stuck: stuck.url,
    well,
    /** Whether the other one refuses from now on. */
    fail(wanted: boolean): void {
      fails = wanted;
      if (wanted) taken = 0;
    },
    /** Number of messages that it has taken since it failed last. */
    taken: () => taken,
    stop: () => Promise.all([stuck.stop(), well.stop()]),
  };
}
