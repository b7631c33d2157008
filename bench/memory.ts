import autocannon from 'autocannon';
import { factsBody, factsPath } from './facts-load.js';
import { startMirzam } from './target.js';

const SERVERS = 100_000;
const CONNECTIONS = 64;
/** Limit of the heap for any number of servers, MB. */
const LIMIT_MB = 300;
const SAMPLE_MS = 500;

interface Memory {
  readonly heapMb: number;
  readonly residentMb: number;
}

/**
 * Sends facts of many more servers than fit into memory and prints the heap after each round. The heap must stay below its
 * limit. Each server gets a request with one fact, one with nine facts, then one fact per round.
 */
export async function measureMemory(rounds: number): Promise<void> {
  const target = await startMirzam('mirzam');
  try {
    await makeTenantKnown(target.url);
    const elements = [1, 9, ...Array.from({ length: rounds }, () => 1)];
    const peaks: number[] = [];
    for (const [round, each] of elements.entries()) {
      const { seconds, failed, peak } = await sendRound(target.url, each);
      const after = await lowestMemory(target.url);
      peaks.push(peak.heapMb);
      console.log(
        `round ${round + 1}: ${SERVERS} servers x ${each} facts in ${seconds.toFixed(1)} s, failed ${failed}; ` +
          `heap ${after.heapMb.toFixed(0)} MB, at most ${peak.heapMb.toFixed(0)} MB under load; ` +
          `resident ${after.residentMb.toFixed(0)} MB`,
      );
    }
    const worst = Math.max(...peaks);
    console.log(
      `\nheap at most ${worst.toFixed(0)} MB: ${worst <= LIMIT_MB ? 'within' : 'OVER'} ${LIMIT_MB} MB`,
    );
  } finally {
    await target.stop();
  }
}

async function sendRound(
  url: string,
  elements: number,
): Promise<{ seconds: number; failed: number; peak: Memory }> {
  let n = 0;
  const run = autocannon({
    url,
    connections: CONNECTIONS,
    amount: SERVERS,
    requests: [
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        setupRequest: (request) => {
          n = (n + 1) % SERVERS;
          return { ...request, path: factsPath(n), body: factsBody(n, elements) };
        },
      },
    ],
  });
  let peak: Memory = { heapMb: 0, residentMb: 0 };
  const sampling = setInterval(() => {
    void memoryOf(url).then((seen) => {
      if (seen.heapMb > peak.heapMb) peak = seen;
    });
  }, SAMPLE_MS);
  const result = await run;
  clearInterval(sampling);
  return { seconds: result.duration, failed: result.non2xx + result.errors, peak };
}

/** Returns the lowest of several readings, which contains the least uncollected garbage. */
async function lowestMemory(url: string): Promise<Memory> {
  const seen: Memory[] = [];
  for (let reading = 0; reading < 5; reading += 1) {
    seen.push(await memoryOf(url));
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
  }
  return seen.reduce((low, next) => (next.heapMb < low.heapMb ? next : low));
}

async function memoryOf(url: string): Promise<Memory> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const figure = (name: string): number =>
    Number(new RegExp(`^\\w*${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN) / 1e6;
  return {
    heapMb: figure('nodejs_heap_size_used_bytes'),
    residentMb: figure('process_resident_memory_bytes'),
  };
}

/** Shows a token of the tenant: facts are accepted for known tenants only. */
async function makeTenantKnown(url: string): Promise<void> {
  const auth = { tenantName: 'demo', passwordCredentials: { username: 'demo', password: 'demo' } };
  const issued = await fetch(`${url}/identity/v2.0/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth }),
  });
  const { access } = (await issued.json()) as { access: { token: { id: string } } };
  await fetch(`${url}/v1.0/demo`, { headers: { 'x-auth-token': access.token.id } });
}
