import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey, membership, type Network } from '../admission/client-address.js';

/** How many connections may be open on which no whole request is being answered. */
export interface QuietLimits {
  /** Of one client address; default 1,000. */
  readonly each?: number;
  /** Of all; default 10,000. */
  readonly all?: number;
  /** Proxies, which see to their own clients: their connections are not counted. */
  readonly trustedProxies?: readonly Network[];
}

interface Quiet {
  readonly socket: Socket;
  /** The last response on it, when it was first seen quiet. */
  readonly last: ServerResponse | undefined;
  /** The sweep that first saw it so. */
  readonly since: number;
}

/**
 * Makes the function, to be called about once a second, that ends connections on which no whole request is being answered:
 * nothing sent, half-sent, or idle between two requests. Where a client address, or all together, have more of them than
 * allowed, those go that have been quiet for longest, and at least from one call to the next; the addresses with the most
 * give first. Requests cost nothing: a call looks at every connection, once there are more than one address may have.
 */
export function quietConnections(
  connections: ReadonlySet<Socket>,
  lastOf: (socket: Socket) => ServerResponse | undefined,
  { each = 1_000, all = 10_000, trustedProxies = [] }: QuietLimits,
): () => void {
  const isTrusted = membership(trustedProxies);
  const known = new WeakMap<Socket, Quiet>();
  let sweep = 0;

  const quietFor = (socket: Socket): Quiet | undefined => {
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
    const byAddress = new Map<string, Quiet[]>();
    for (const socket of connections) {
      const quiet = quietFor(socket);
      const address = addressKey(socket.remoteAddress ?? '');
      if (quiet === undefined || isTrusted(socket.remoteAddress ?? '')) continue;
      const others = byAddress.get(address);
      if (others === undefined) byAddress.set(address, [quiet]);
      else others.push(quiet);
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

/** How many each may have, at most `each`, so that all together have `all` at most. */
function fairShare(counts: readonly number[], each: number, all: number): number {
  let share = each;
  const sum = (): number => counts.reduce((total, count) => total + Math.min(count, share), 0);
  while (share > 1 && sum() > all) share = Math.floor(share / 2);
  return share;
}
