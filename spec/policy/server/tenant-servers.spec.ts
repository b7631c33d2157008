import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createListing } from '../../../src/policy/server/tenant-servers.js';
import { streamedServers } from '../../../src/policy/http/presentation.js';
import type { Listed, Store } from '../../../src/store/port.js';
import { leastHold } from '../../system/longest-hold.js';

const RULE = {
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-email', email: 'a@b.example', body: 'x'.repeat(4_000) },
};

/** The stored document of a server with this number of rules. */
function stored(serverId: string, rules: number): Listed {
  const own = Array.from({ length: rules }, (_, i) => ({ name: 'busy', ...RULE, ruleId: `r${i}` }));
  const rare = JSON.stringify({ rules: own, subscriptions: [] });
  const frequent = JSON.stringify({ known: true });
  return {
    id: `server/acme/${serverId}`,
    revision: 1,
    version: 1,
    state: 'live',
    wakeAt: undefined,
    frequent,
    rare,
  };
}

/** A store that answers at once, like the embedded one, `page` servers at a time. */
function storeOf(servers: readonly Listed[], page: number): Store {
  const list: Store['list'] = async ({ after }) => {
    const start = after === undefined ? 0 : servers.findIndex(({ id }) => id === after) + 1;
    return { items: servers.slice(start, start + page), more: start + page < servers.length };
  };
  return { list } as Store;
}

const listed = (servers: readonly Listed[], page: number): Promise<string> =>
  text(streamedServers(createListing(storeOf(servers, page)).servers('acme', () => undefined)));

function written(servers: readonly Listed[]): string {
  const shown = servers.map(({ id, rare }) => ({
    serverId: id.split('/')[2],
    rules: (JSON.parse(rare) as { rules: (typeof RULE & { ruleId: string })[] }).rules.map(
      ({ condition, action, ruleId }) => ({ condition, action, ruleId }),
    ),
  }));
  return JSON.stringify({ servers: shown });
}

describe('the listing of servers', () => {
  it('is valid JSON for any number of rules', async () => {
    const servers = [0, 1, 15, 16, 17, 32, 33, 100].map((rules, i) => stored(`s${i}`, rules));
    for (const page of [1, 3, 8]) expect(await listed(servers, page)).to.equal(written(servers));
    expect(await listed([], 1)).to.equal('{"servers":[]}');
  });

  it('leaves turns of the event loop to other work while giant servers are read and written', async () => {
    const servers = Array.from({ length: 24 }, (_, i) => stored(`s${i + 100}`, 500));
    const started = performance.now();
    written(servers);
    const together = performance.now() - started;
    for (const page of [1, 24]) {
      const shortest = await leastHold(() => listed(servers, page), together / 4);
      expect(shortest, `${page} together`).to.be.below(together / 4);
    }
  });
});
