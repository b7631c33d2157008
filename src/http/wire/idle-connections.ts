import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey, membership, type Network } from '../admission/client-address.js';

/** Limits of idle connections: those on which no complete request is being answered. */
export interface IdleLimits {
  /** Maximum for one client address; default 1,000. */
  readonly each?: number;
  /** Maximum for all; default 10,000. */
  readonly all?: number;
  /** Proxies, which limit their own clients. Their connections are not counted. */
  readonly trustedProxies?: readonly Network[];
}

interface Idle {
  readonly socket: Socket;
  /** Its last response when it was first seen idle. */
  readonly last: ServerResponse | undefined;
  /** Number of the sweep that first saw it idle. */
  readonly since: number;
}

/**
 * Makes the sweep, called about once a second, that closes idle connections: new ones, ones with an incomplete request,
 * and ones idle between two requests. It acts if a client address, or all together, exceed their limit, and closes the
 * longest idle first, beginning with the addresses that have the most. A connection is safe in the first sweep that
 * sees it idle. Requests cost nothing; a sweep checks all connections once they exceed the limit of one address.
 */
export function idleConnections(
  connections: ReadonlySet<Socket>,
  lastOf: (socket: Socket) => ServerResponse | undefined,
  { each = 1_000, all = 10_000, trustedProxies = [] }: IdleLimits,
): () => void {
  const isTrusted = membership(trustedProxies);
  const known = new WeakMap<Socket, Idle>();
  let sweep = 0;

  const idleFor = (socket: Socket): Idle | undefined => {
    const last = lastOf(socket);
    if (last !== undefined && last.req.complete && !last.writableFinished && !last.destroyed)
      return undefined;
    const before = known.get(socket);
    if (before !== undefined && before.last === last) return before;
    known.set(socket, { socket, last, since: sweep });
    return undefined;
  };

  return () => {
    sweep += 1;
    if (connections.size <= Math.min(each, all)) return;
    const byAddress = new Map<string, Idle[]>();
    for (const socket of connections) {
      const idle = idleFor(socket);
      const address = addressKey(socket.remoteAddress ?? '');
      if (idle === undefined || isTrusted(socket.remoteAddress ?? '')) continue;
      const others = byAddress.get(address);
      if (others === undefined) byAddress.set(address, [idle]);
      else others.push(idle);
    }
    const groups = [...byAddress.values()];
    const most = fairShare(
      groups.map(({ length }) => length),
      each,
      all,
    );
    for (const group of groups) {
      if (group.length <= most) continue;
      group.sort((a, b) => a.since - b.since);
      for (const { socket } of group.slice(0, group.length - most)) socket.destroy();
    }
  };
}

/** Returns the limit for one address, at most `each`, such that all addresses together have at most `all`. */
function fairShare(counts: readonly number[], each: number, all: number): number {
  let share = each;
  const sum = (): number => counts.reduce((total, count) => total + Math.min(count, share), 0);
  while (share > 1 && sum() > all) share = Math.floor(share / 2);
  return share;
}
