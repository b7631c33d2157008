import { Readable } from 'node:stream';
import { shownForm } from '../../delivery/form/formats.js';
import { inBatches } from '../../system/in-batches.js';
import type { Explanation, TransitionView } from '../explain/shapes.js';
import type { ListedServer } from '../server/tenant-servers.js';
import { type Rule, ruleOptionsOf } from '../rules/rule.js';
import type { Transition } from '../state/subscription-state.js';
import { currentMute, type Mutable, type Subscription } from '../state/subscription.js';
import { isoOf } from '../../system/iso.js';

/** Returns a rule as operations 5, 8, 10 and 14 show it. */
export function shownRule(rule: Rule): Rule {
  const { name, condition, action, ruleId } = rule;
  return { name, condition, action, ruleId, ...ruleOptionsOf(rule) };
}

/**
 * Returns a subscription as operation 17 shows it at `now`. `mutedUntil` and `suspended` are ISO times, absent unless it is
 * muted or suspended.
 */
export function shownSubscription(
  bound: Mutable & { readonly subscription: Subscription },
  serverId: string,
  now: number,
) {
  const { id, url, ruleId, suspended } = bound.subscription;
  const mutedUntil = currentMute(bound, now)?.until;
  return {
    subscriptionId: id,
    url,
    serverId,
    ruleId,
    ...shownForm(bound.subscription),
    ...(mutedUntil === undefined ? {} : shownMute(mutedUntil)),
    ...(suspended === undefined ? {} : { suspended: isoOf(suspended) }),
  };
}

/** Returns the end of a mute, ms since the epoch, as the API shows it. */
export function shownMute(until: number): { readonly mutedUntil: string } {
  return { mutedUntil: isoOf(until) };
}

/** Returns a transition as the history shows it. `at` is an ISO time. */
export function shownTransition({ at, ...transition }: Transition): TransitionView {
  const { ruleId, subscriptionId, from, to, sentence, factId, source } = transition;
  const shown = { at: isoOf(at), ruleId, subscriptionId, from, to, sentence, factId };
  return source === undefined ? shown : { ...shown, source };
}

/** Subscriptions per piece of text. One has 20 KiB if its condition has 32 comparisons of large numbers. */
const PIECE_SUBSCRIPTIONS = 64;

/** Returns an explanation as JSON. Other work gets turns of the event loop in between. */
export async function explanationJson({ subscriptions, ...rest }: Explanation): Promise<Buffer> {
  const { sentence, ...head } = rest;
  const pieces = [Buffer.from(`${JSON.stringify(head).slice(0, -1)},"subscriptions":[`)];
  for await (const batch of inBatches(subscriptions, PIECE_SUBSCRIPTIONS)) {
    const lead = pieces.length === 1 ? '' : ',';
    pieces.push(Buffer.from(lead + JSON.stringify(batch).slice(1, -1)));
  }
  const end = sentence === undefined ? ']}' : `],"sentence":${JSON.stringify(sentence)}}`;
  return Buffer.concat([...pieces, Buffer.from(end)]);
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
    let piece = '';
    for (const server of page) {
      if (server.rules.length <= PIECE_RULES) piece += before + JSON.stringify(server);
      else {
        if (piece !== '') yield piece;
        piece = '';
        yield* serverPieces(server, before);
      }
      before = ',';
    }
    if (piece !== '') yield piece;
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
