import { setImmediate, setTimeout } from 'node:timers/promises';
import { UNREADABLE } from '../../actors/reading.js';
import type { Actors } from '../../actors/kind.js';
import { pages } from '../../store/paging.js';
import { addressOf, type Listed, type Store } from '../../store/port.js';
import { type Rule, ruleOptionsOf } from '../rules/rule.js';
import { isKnown } from './broker-intents.js';
import type { GenericRuleCheck } from '../tenant/generic-rules.js';
import type { ServerNotices } from '../tenant/tenant-machine.js';
import type { ServerContext } from './server-context.js';
import { refuseTooManyWindows } from './server-decisions.js';
import { SERVER, SERVER_VERSION } from './server-kind.js';
import { askWithTenant, type TenantCopies } from './tenant-copy.js';

/** A server in the answer of operation 9. Its rules have no names there. */
export interface ListedServer {
  readonly serverId: string;
  readonly rules: readonly Omit<Rule, 'name'>[];
  /** Why this service cannot read the server, and gives no rules; absent for one that it can read. */
  readonly unreadable?: string;
}

/** Number of documents read at once. */
const PAGE = 500;
/** Characters of documents parsed before other work gets a turn of the event loop. */
const TURN_CHARACTERS = 256 * 1024;

/** Makes operation 9. It reads the store page by page, so the servers of a tenant need not fit in memory. */
export function createListing(store: Store) {
  return {
    /**
     * Returns the known servers of a tenant with their own rules, in parts, in the order of their ids. Calls `holds` with the
     * number of characters it holds in memory from then on, and ends with whatever error `holds` throws.
     */
    async *servers(
      tenantId: string,
      holds: (characters: number) => void,
    ): AsyncGenerator<readonly ListedServer[]> {
      let pauseMs = 0;
      for await (const page of serverPages(store, tenantId)) {
        holds(page.reduce((sum, { frequent, rare }) => sum + frequent.length + rare.length, 0));
        for (const part of partsOf(page)) {
          // For as long as the part before took, with its text: other requests have half of the time of the event loop.
          if (pauseMs > 0) await setTimeout(pauseMs);
          const begun = performance.now();
          const servers = part.filter(isListed).map(shown);
          pauseMs = 2 * (performance.now() - begun);
          yield servers;
        }
      }
    },
  };
}

/** In the text of a server with a suppressed `noData`. */
const SUPPRESSED_NO_DATA = '"noDataUnsent":true';

/**
 * Makes the notices of changed rules and quiet times. Each server gets the tenant as it is then: the others get a later change at
 * once. A server that binds the rule meanwhile is not among them, and operation 15 compares it with the rule by itself.
 */
export function createNotices(
  store: Store,
  copiesOf: (actors: Actors) => TenantCopies,
  now: () => number,
): ServerNotices {
  const notify = async (
    actors: Actors,
    tenantId: string,
    concerns: (listed: Listed) => boolean,
  ): Promise<void> => {
    const copies = copiesOf(actors);
    const send = async (id: string): Promise<void> => {
      await askWithTenant(copies, tenantId, (copy) =>
        actors.ask(addressOf(id), { type: 'rulesChanged', now: now(), ...copy }),
      );
    };
    let newer: string | undefined;
    for await (const page of serverPages(store, tenantId)) {
      const concerned = page.filter((listed) => isReadable(listed) && concerns(listed));
      newer ??= page.find((listed) => !isReadable(listed))?.id;
      await Promise.all(concerned.map(({ id }) => send(id)));
    }
    // Rejects: the effect stays in the outbox, and a node of the newer release performs it.
    if (newer !== undefined) await send(newer);
  };
  return {
    ruleChanged: (actors, tenantId, ruleId) => notify(actors, tenantId, ({ rare }) => rare.includes(ruleId)),
    quietEnded: (actors, tenantId) =>
      notify(actors, tenantId, ({ frequent }) => frequent.includes(SUPPRESSED_NO_DATA)),
  };
}

/** Makes the check before a change of a generic rule. */
export function createWindowCheck(store: Store): GenericRuleCheck {
  return async (tenantId, ruleId, tenant) => {
    for await (const page of serverPages(store, tenantId)) {
      for (const { id, rare } of page.filter((one) => isReadable(one) && one.rare.includes(ruleId))) {
        const server = JSON.parse(rare) as ServerContext;
        refuseTooManyWindows(server, tenant, `server ${addressOf(id).name}`);
      }
      await setImmediate();
    }
  };
}

/** False for a server that a newer release wrote. */
function isReadable({ version }: Listed): boolean {
  return version <= SERVER_VERSION;
}

function serverPages(store: Store, tenantId: string): AsyncGenerator<readonly Listed[], void> {
  const query = { kind: SERVER, tenant: tenantId, limit: PAGE };
  return pages((after) => store.list({ ...query, after }));
}

/** Splits a page into parts of at least `TURN_CHARACTERS`, except the last part. Keeps the order. */
function* partsOf(page: readonly Listed[]): Generator<readonly Listed[]> {
  let start = 0;
  let characters = 0;
  for (const [i, { frequent, rare }] of page.entries()) {
    characters += frequent.length + rare.length;
    if (characters < TURN_CHARACTERS) continue;
    yield page.slice(start, i + 1);
    start = i + 1;
    characters = 0;
  }
  if (start < page.length) yield page.slice(start);
}

/** True for a known server. Parses the document only if it contains an intent. */
function isListed({ version, frequent, rare }: Listed): boolean {
  if (version > SERVER_VERSION || !frequent.includes('"known":false')) return true;
  return isKnown({ ...JSON.parse(rare), ...JSON.parse(frequent) } as ServerContext);
}

function shown(listed: Listed): ListedServer {
  const serverId = addressOf(listed.id).name;
  if (!isReadable(listed)) return { serverId, rules: [], unreadable: UNREADABLE };
  const { rules } = JSON.parse(listed.rare) as { rules: Rule[] };
  return {
    serverId,
    rules: rules.map((rule) => {
      const { condition, action, ruleId } = rule;
      return { condition, action, ruleId, ...ruleOptionsOf(rule) };
    }),
  };
}
