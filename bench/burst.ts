import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { reservedPort } from '../spec/servers/ports.js';
import { type Caller, callerOf } from './caller.js';
import { median, quantile, ratio } from './ratios.js';
import { sendCpu, startReceiver, startTimedReceiver } from './receivers.js';
import { startMirzam, type Target } from './target.js';

/** Requests of the burst, and the subscriptions that each of them fires. The last subscription has a receiver that answers. */
const BURST = { requests: 24, subscriptions: 1_000 };
/** Measurements of each tenant before the burst, and at least while it lasts. */
const MEASURED = 100;
/** Requests of the burst that a slow store does not take in this time are left out, ms. */
const MEASURED_MS = 60_000;
/** Characters of outgoing messages that are not of the burst. */
const OF_OTHERS = 10_000;
/** Each look at the figures costs the service some ms. */
const POLL_MS = 200;
const USERS = 'demo:demo:demo,calm:calm:calm';
const ALWAYS = {
  name: 'always',
  condition: { cpu: { value: 0, operand: 'greater equal' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

/** Waits of sequential measurements, ms: for the answers, and from sending them to their webhooks. */
interface Waits {
  readonly facts: number[];
  readonly webhooks: number[];
}

/** Figures of a run. The ratios are to the time before the burst, and to a service without a burst in the same moments. */
interface Figures {
  readonly p50: number;
  readonly p99: number;
  readonly webhooks: number;
  readonly p50OfIdle: number;
  readonly p99OfIdle: number;
  readonly webhooksOfIdle: number;
  /** 97 of 100 webhooks of the burst's tenant to a receiver that answers are faster, ms: of another server; of the burst. */
  readonly living: number;
  readonly livingOfBurst: number;
  readonly requests: number;
  /** Until all messages of these requests were dispatched, s. */
  readonly lasts: number;
}

/**
 * Measures what a burst of messages of one tenant to dead receivers costs another tenant, and a receiver of the same tenant
 * that answers, beside a service without a burst. `against`: another checkout, measured in turns with this one.
 */
export async function measureBurst(options: {
  readonly rounds: number;
  readonly mongodb: string | undefined;
  readonly against: string | undefined;
}): Promise<object> {
  const { rounds, mongodb, against } = options;
  const builds = [
    { name: 'this build', script: undefined },
    ...(against === undefined
      ? []
      : [{ name: 'the other build', script: join(against, 'dist/src/main.js') }]),
  ];
  const all: Record<string, Figures[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, script } of builds) {
      const figures = await measureOnce(mongodb, script);
      (all[name] ??= []).push(figures);
      console.log(`round ${round + 1}  ${name}  ${JSON.stringify(figures)}`);
    }
  }
  const medians = Object.fromEntries(
    Object.entries(all).map(([name, runs]) => [
      name,
      Object.fromEntries(
        (Object.keys(runs[0]!) as (keyof Figures)[]).map((key) => [key, median(runs.map((run) => run[key]))]),
      ),
    ]),
  );
  for (const [name, figures] of Object.entries(medians)) {
    console.log(
      `\n${name}, while a burst of 24,000 messages of another tenant lasts, of quiet (median of ${rounds}):\n` +
        `  P1 p50 ${figures['p50']}, p99 ${figures['p99']}; p97 of webhooks ${figures['webhooks']}\n` +
        `  of a service without a burst: ${figures['p50OfIdle']}, ${figures['p99OfIdle']}; ${figures['webhooksOfIdle']}\n` +
        `  p97 of the same tenant's living receiver: ${figures['living']} ms, of the burst's messages ${figures['livingOfBurst']} ms`,
    );
  }
  return { rounds, ...medians };
}

async function measureOnce(mongodb: string | undefined, script: string | undefined): Promise<Figures> {
  const receivers = await startReceivers();
  const databases: string[] = [];
  const start = (name: string): Promise<Target> => {
    const settings: Record<string, string> = { IDENTITY_USERS: USERS };
    if (mongodb !== undefined) {
      const url = new URL(mongodb);
      url.pathname = `/mirzam-${name}-${Date.now()}`;
      databases.push(url.pathname.slice(1));
      settings['MONGODB_URL'] = url.href;
    }
    return startMirzam(name, settings, script);
  };
  const busy = await start('busy');
  const idle = await start('idle');
  try {
    const demo = await callerOf(busy.url, 'demo');
    const calm = await callerOf(busy.url, 'calm');
    const calmOfIdle = await callerOf(idle.url, 'calm');
    for (const [call, tenant] of [
      [demo, 'demo'],
      [calm, 'calm'],
      [calmOfIdle, 'calm'],
    ] as const)
      await call('PUT', `/v1.0/${tenant}`, { windowsize: 1 });
    const { living, dead: origins } = receivers;
    const dead = Array.from(
      { length: BURST.subscriptions - 1 },
      (_, n) => `${origins[n % origins.length]}/${n}`,
    );
    await subscribe(demo, 'demo', 'stuck', [...dead, `${living.url}/burst`]);
    await subscribe(demo, 'demo', 'well', [`${living.url}/same`]);
    await subscribe(calm, 'calm', 'well', [`${living.url}/other`]);
    await subscribe(calmOfIdle, 'calm', 'well', [`${living.url}/idle`]);

    /** Sends measurements one after the other, each after the webhook of the one before, until both are over. */
    const measure = async (
      call: Caller,
      tenant: string,
      path: string,
      over: { value: boolean },
    ): Promise<Waits> => {
      const waits: Waits = { facts: [], webhooks: [] };
      while (!over.value || waits.facts.length < MEASURED) {
        let answered = 0;
        const begun = performance.now();
        const arrived = await living.timed(path, async () => {
          await sendCpu(call, `/v1.0/${tenant}/servers/well`, 90);
          answered = performance.now() - begun;
        });
        waits.facts.push(answered);
        waits.webhooks.push(arrived);
        await pause(1);
      }
      return waits;
    };
    const all = (over: { value: boolean }): Promise<Waits[]> =>
      Promise.all([
        measure(calm, 'calm', '/other', over),
        measure(calmOfIdle, 'calm', '/idle', over),
        measure(demo, 'demo', '/same', over),
      ]);

    await all({ value: true });
    const [quiet] = await all({ value: true });
    const over = { value: false };
    const begun = performance.now();
    const measured = all(over);
    const arrived = living.collect('/burst');
    const sent: number[] = [];
    for (let n = 0; n < BURST.requests && performance.now() - begun < MEASURED_MS; n += 1) {
      sent.push(performance.now());
      await sendCpu(demo, '/v1.0/demo/servers/stuck', 90);
      await dispatched(busy.url);
    }
    const lasts = performance.now() - begun;
    over.value = true;
    const [other, idleWaits, same] = await measured;
    while (arrived.length < sent.length) await pause(10);
    const [p50, p99] = [0.5, 0.99];
    const of = (waits: Waits, base: Waits) => ({
      p50: ratio(quantile(waits.facts, p50), quantile(base.facts, p50)),
      p99: ratio(quantile(waits.facts, p99), quantile(base.facts, p99)),
      webhooks: ratio(quantile(waits.webhooks, 0.97), quantile(base.webhooks, 0.97)),
    });
    console.log(
      `quiet ${shown(quiet!)}; idle service ${shown(idleWaits!)}; other tenant ${shown(other!)}; same tenant ${shown(same!)}`,
    );
    const ofQuiet = of(other!, quiet!);
    const ofIdle = of(other!, idleWaits!);
    return {
      ...ofQuiet,
      p50OfIdle: ofIdle.p50,
      p99OfIdle: ofIdle.p99,
      webhooksOfIdle: ofIdle.webhooks,
      living: Math.round(quantile(same!.webhooks, 0.97)),
      livingOfBurst: Math.round(
        quantile(
          arrived.map((at, n) => at - sent[n]!),
          0.97,
        ),
      ),
      requests: sent.length,
      lasts: Math.round(lasts / 100) / 10,
    };
  } finally {
    await Promise.all([busy.stop(), idle.stop()]);
    await receivers.stop();
    if (mongodb !== undefined) await dropAll(mongodb, databases);
  }
}

async function dropAll(url: string, databases: readonly string[]): Promise<void> {
  const client = new MongoClient(url);
  for (const name of databases) await client.db(name).dropDatabase();
  await client.close();
}

function shown({ facts, webhooks }: Waits): string {
  const ms = (values: readonly number[], part: number): string => quantile(values, part).toFixed(1);
  return `${facts.length}× P1 ${ms(facts, 0.5)}/${ms(facts, 0.99)}, webhooks ${ms(webhooks, 0.5)}/${ms(webhooks, 0.97)} ms`;
}

async function subscribe(
  call: Caller,
  tenant: string,
  server: string,
  urls: readonly string[],
): Promise<void> {
  const path = `/v1.0/${tenant}/servers/${server}`;
  const { ruleId } = await call('POST', `${path}/rules`, ALWAYS);
  const AT_ONCE = 50;
  for (let n = 0; n < urls.length; n += AT_ONCE) {
    await Promise.all(
      urls.slice(n, n + AT_ONCE).map((url) => call('POST', `${path}/subscription`, { ruleId, url })),
    );
  }
}

/** Resolves once the messages of the burst have left the outbox of their server. */
async function dispatched(url: string): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text();
    if (Number(/^mirzam_outgoing_characters (\d+)$/m.exec(text)?.[1]) < OF_OTHERS) return;
    await pause(POLL_MS);
  }
}

/** The receivers of the bench, in this process: one that never answers, one that refuses, a closed port, and one that works. */
async function startReceivers() {
  const living = await startTimedReceiver();
  const hanging = await startReceiver(() => {});
  const failing = await startReceiver((_path, response) => response.writeHead(503).end());
  const closed = `http://127.0.0.1:${await reservedPort()}`;
  return {
    living,
    dead: [hanging.url, failing.url, closed],
    stop: () => Promise.all([living.stop(), hanging.stop(), failing.stop()]),
  };
}
