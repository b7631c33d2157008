import { Readable } from 'node:stream';
import type { ListedServer } from './listing.js';
import type { Rule } from './rule.js';
import type { Subscription } from './server-context.js';

/** A rule as operations 5, 8, 10 and 14 show it. */
export function shownRule({ name, condition, action, ruleId }: Rule): Rule {
  return { name, condition, action, ruleId };
}

/** A subscription as operation 17 shows it; `suspended`, an ISO time, only where it is. */
export function shownSubscription({ id, url, ruleId, suspended }: Subscription, serverId: string) {
  const shown = { subscriptionId: id, url, serverId, ruleId };
  return suspended === undefined ? shown : { ...shown, suspended: new Date(suspended).toISOString() };
}

/** Operation 9's answer as a stream of JSON text, one page of servers at a time. */
export function streamedServers(pages: AsyncIterable<readonly ListedServer[]>): Readable {
  return Readable.from(texts(pages), { objectMode: false });
}

async function* texts(pages: AsyncIterable<readonly ListedServer[]>): AsyncGenerator<string> {
  let before = '{"servers":[';
  for await (const page of pages) {
    for (const server of page) {
      yield before + JSON.stringify(server);
      before = ',';
    }
  }
  yield before === ',' ? ']}' : `${before}]}`;
}
