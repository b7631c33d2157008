import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FactsOptions } from './facts.js';
import { load } from './facts-load.js';
import { median, ratio } from './ratios.js';
import { subscribeServers } from './rules.js';
import { startMirzam } from './target.js';

/** Pages of the console that are open. */
const CONSOLES = 10;

/**
 * Measures the throughput of operation P1 while ten pages of the console are open, as a ratio to the same service without
 * them. Rounds alternate; the first of each pair alternates too.
 */
export async function measureConsoles({ rounds, seconds, connections }: FactsOptions): Promise<object> {
  const mirzam = await startMirzam('mirzam');
  const readers = fork(fileURLToPath(new URL('./consoles-child.js', import.meta.url)), [mirzam.url]);
  try {
    await Promise.all([once(readers, 'message'), subscribeServers(mirzam.url)]);
    const tenant = await tenantId(mirzam.url);
    await load(mirzam.url, { seconds: 2, connections });
    const without = async (): Promise<number> =>
      (await load(mirzam.url, { seconds, connections })).requestsPerS;
    const withThem = async (): Promise<{ readonly perS: number; readonly views: number }> => {
      await ask(readers, { open: CONSOLES, tenant });
      const { requestsPerS: perS } = await load(mirzam.url, { seconds, connections });
      return { perS, ...(await ask(readers, 'close')) };
    };
    const ratios: number[] = [];
    let viewsRead = 0;
    for (let round = 0; round < rounds; round += 1) {
      const first = round % 2 === 0 ? await without() : undefined;
      const { perS, views } = await withThem();
      const alone = first ?? (await without());
      viewsRead += views;
      ratios.push(ratio(perS, alone));
      console.log(
        `round ${round + 1}  ${alone.toFixed(0)} req/s alone, ${perS.toFixed(0)} with ${CONSOLES} consoles, ` +
          `which read ${views} views`,
      );
    }
    const figures = { rounds, consoles: CONSOLES, ofAlone: median(ratios), viewsRead };
    console.log(
      `\nP1 with ${CONSOLES} open consoles: ${figures.ofAlone} of P1 without (median of ${rounds})`,
    );
    return figures;
  } finally {
    readers.kill();
    await mirzam.stop();
  }
}

async function ask(readers: ChildProcess, message: object | string): Promise<{ readonly views: number }> {
  readers.send(message);
  const [answer] = (await once(readers, 'message')) as [{ readonly views: number }];
  return answer;
}

/** Returns the id of the tenant of the servers. */
async function tenantId(url: string): Promise<string> {
  const response = await fetch(`${url}/console/api/servers?limit=1`);
  const { servers } = (await response.json()) as { readonly servers: readonly { tenantId: string }[] };
  return servers[0]!.tenantId;
}
