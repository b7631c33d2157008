import { expect } from 'chai';
import { apiClient } from '../../e2e/api-client.js';
import { openBooks } from './books.js';
import { addServer, ALWAYS, ask, type World } from './clients.js';

/** Number of servers at the start. */
const SERVERS = 4;

/** Creates a world with some servers and a window of one value, so that every fact fires. */
export async function worldAt(
  urls: readonly string[],
  hook: string,
  random: () => number,
  hashed = false,
): Promise<World> {
  const api = await apiClient(urls[0]!);
  const { token } = api;
  const resized = await api.call('PUT', '/v1.0/demo', { windowsize: 1 });
  expect(resized.status).to.equal(200);
  const { body } = await api.call('POST', '/v1.0/demo/rules', ALWAYS);
  const genericRule = String(body['ruleId']);
  const world: World = {
    books: openBooks(),
    random,
    token,
    hook,
    genericRule,
    urls,
    hashed,
    severalNodes: urls.length > 1,
    running: true,
    made: 0,
  };
  world.books.genericRules.add(genericRule);
  for (let n = 0; n < SERVERS; n += 1) await addServer(world);
  expect([...world.books.servers.values()].filter((book) => book.firing.length > 0)).to.have.length(SERVERS);
  expect((await ask(world, 'GET', '/v1.0/demo')).answer?.body['windowsize']).to.equal(1);
  return world;
}
