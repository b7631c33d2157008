import { Readable } from 'node:stream';
import { inBatches } from '../../system/in-batches.js';
import type { TransitionView } from '../explain/shapes.js';
import type { ListedServer } from '../server/tenant-servers.js';
import type { Rule } from '../rules/rule.js';
import type { Subscription } from '../server/server-context.js';
import type { Transition } from '../watch/watch.js';

/** Returns a rule as operations 5, 8, 10 and 14 show it. */
export function shownRule({ name, condition, action, ruleId }: Rule): Rule {
  return { name, condition, action, ruleId };
}

/** Returns a subscription as operation 17 shows it. `suspended` is an ISO time and absent unless suspended. */
export function shownSubscription({ id, url, ruleId, suspended }: Subscription, serverId: string) {
  const shown = { subscriptionId: id, url, serverId, ruleId };
  return suspended === undefined ? shown : { ...shown, suspended: new Date(suspended).toISOString() };
}

/** Returns a transition as the history shows it. `at` is an ISO time. */
export function shownTransition({ at, ...transition }: Transition): TransitionView {
  const { ruleId, subscriptionId, from, to, sentence, factId } = transition;
  return { at: new Date(at).toISOString(), ruleId, subscriptionId, from, to, sentence, factId };
}

/** Returns the answer of operation 9 as a stream of JSON text. */
export function streamedServers(pages: AsyncIterable<readonly ListedServer[]>): Readable {
  return Readable.from(piecesOf(pages), { objectMode: false });
}

/** Rules per piece of text. A rule may have 64 Ki characters. */
const PIECE_RULES = 16;

async function* piecesOf(pages: AsyncIterable<readonly ListedServer[]>): AsyncGenerator<string> {
  let before = '{"servers":[';
  for await (const page of pages) {
    for (const server of page) {
      if (server.rules.length <= PIECE_RULES) yield before + JSON.stringify(server);
      else yield* serverPieces(server, before);
      before = ',';
    }
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

/** Returns a server with many rules as JSON. Other work gets turns of the event loop in between. */
async function* serverPieces({ serverId, rules }: ListedServer, before: string): AsyncGenerator<string> {
  let lead = `${before}{"serverId":${JSON.stringify(serverId)},"rules":[`;
  for await (const batch of inBatches(rules, PIECE_RULES)) {
    yield lead + JSON.stringify(batch).slice(1, -1);
    lead = ',';
  }
  yield ']}';
}
