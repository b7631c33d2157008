import { Refusal } from '../../errors.js';
import { inBatches, mapInBatches } from '../../system/in-batches.js';
import type { ServerFacts } from '../facts/facts.js';
import type { FactsReply } from '../server/server-context.js';
import type { Servers } from '../server/servers.js';

/** What a notification of several servers caused. */
export interface NotificationReply {
  /** Number of facts. */
  readonly facts: number;
  /** Number of evaluations. */
  readonly evaluated: number;
  /** Number of firings. */
  readonly fired: number;
  /** Number of servers with a fact. */
  readonly servers: number;
}

/** Facts by entity: the measurements of several servers in one request. */
export interface Notifications {
  /**
   * Takes the measurements of each server in one atomic step. The tenant must be known. Checks all servers first: rejects
   * with the refusal of operation 1 if one of them would refuse its facts. Each refusal names its server; one that comes
   * after the check says how many other servers took their facts.
   */
  take(tenantId: string, all: readonly ServerFacts[]): Promise<NotificationReply>;
}

/** Number of servers read, or sent their facts, at once. */
const AT_ONCE = 128;

/** Makes the notifications of several servers. */
export function createNotifications(servers: Pick<Servers, 'facts' | 'refuseFacts'>): Notifications {
  return {
    async take(tenantId, all) {
      // The only server checks its facts itself.
      if (all.length > 1)
        await mapInBatches(all, AT_ONCE, (one) =>
          named(one, servers.refuseFacts(tenantId, one.serverId, one.facts), ''),
        );
      const sum = { facts: 0, evaluated: 0, fired: 0, servers: 0 };
      for await (const batch of inBatches(all, AT_ONCE)) {
        const replies = await Promise.allSettled(
          batch.map(({ serverId, facts }) => servers.facts(tenantId, serverId, facts)),
        );
        for (const [i, reply] of replies.entries()) {
          if (reply.status === 'fulfilled') add(sum, reply.value, batch[i]!.facts.measures.length);
        }
        const failed = replies.findIndex(({ status }) => status === 'rejected');
        if (failed === -1) continue;
        const { reason } = replies[failed] as PromiseRejectedResult;
        const others = sum.servers === 1 ? '1 other server' : `${sum.servers} other servers`;
        const taken = all.length === 1 ? '' : `; ${others} took their facts`;
        await named(batch[failed]!, Promise.reject(reason as Error), taken);
      }
      return sum;
    },
  };
}

function add(
  sum: { -readonly [K in keyof NotificationReply]: number },
  { counted, repeated = 0, evaluated, fired }: FactsReply,
  measurements: number,
): void {
  if (!counted) return;
  sum.facts += measurements - repeated;
  sum.evaluated += evaluated;
  sum.fired += fired;
  sum.servers += 1;
}

/** Waits for work on a server. Throws its refusal with the server's id before the message and `also` behind it. */
async function named({ serverId }: ServerFacts, work: Promise<void>, also: string): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, retryAfterS, members } = error;
    const more = { members, cause: error, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
    throw new Refusal(code, `server ${serverId}: ${error.message}${also}`, more);
  }
}
