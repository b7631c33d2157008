import { expect } from 'chai';
import { eventually } from '../../../faults/stage/eventually.js';
import { mongoOfSuite } from '../../../servers/mongodb.js';
import { type ApiClient, request } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { addSubscribedRule, cpu, factsBody, okBody, windowSize } from '../actions.js';
import { nothingStoredWith, storedWith } from './stored.js';

const DAY_MS = 86_400_000;
/** Longest time for which a node uses a copy of a tenant, and for the end of a deletion, ms. */
const COPY_MS = 5_000;
const ENDS_MS = 60_000;

describe('lives that end, with two nodes on MongoDB', () => {
  const open = scenes();
  const mongo = mongoOfSuite();

  let time = Date.now();
  const two = async (settings: Readonly<Record<string, string>> = {}) => {
    const MONGODB_URL = mongo.database();
    const one = await open.service({ MONGODB_URL, ...settings }, () => time);
    return [one, await open.service({ MONGODB_URL, ...settings }, () => time)] as const;
  };
  /** A node uses its copy of a document for half a second. */
  const isThere = async (api: ApiClient, server: string): Promise<boolean> => {
    time += 600;
    return (await api.call('GET', `/v1.0/demo/servers/${server}`)).status === 200;
  };

  it('delete a server at both', async () => {
    const [{ api }, { api: other }] = await two();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/x');
    expect(await cpu(api, 'web-1', 90)).to.equal(1);
    expect(await cpu(other, 'web-1', 90)).to.equal(2);
    okBody(await other.call('DELETE', '/v1.0/demo/servers/web-1'));
    await eventually(
      async () => !(await isThere(api, 'web-1')) || undefined,
      COPY_MS,
      () => 'the first node still has it',
    );
    expect(await cpu(api, 'web-1', 90)).to.equal(1);
    expect(await cpu(other, 'web-1', 90)).to.equal(2);
  });

  it('forget an idle server once', async () => {
    const [{ api }, { api: other }] = await two({ SERVER_FORGET_DAYS: '1' });
    await windowSize(api, 1);
    await cpu(api, 'idle', 10);
    await cpu(api, 'busy', 10);
    time += DAY_MS - 60_000;
    await cpu(other, 'busy', 10);
    expect(await isThere(api, 'idle')).to.equal(true);
    time += 61_000;
    await eventually(
      async () => !(await isThere(api, 'idle')) || undefined,
      ENDS_MS,
      () => 'it is still there',
    );
    expect(await isThere(other, 'busy')).to.equal(true);
    await eventually(
      async () => {
        time += 10_000;
        return (await storedWith(api, '/idle"')).length === 0 || undefined;
      },
      ENDS_MS,
      () => 'it is still stored',
    );
  });

  it('delete a tenant at both', async () => {
    const [{ api }, { api: other, url }] = await two();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/x');
    for (const node of [api, other]) await cpu(node, 'web-1', 90);
    const { tenants } = okBody(await api.call('GET', '/operator/tenants')) as unknown as {
      readonly tenants: readonly { readonly id: string }[];
    };
    const { id } = tenants[0]!;
    expect((await api.call('DELETE', `/operator/tenants/${id}`)).status).to.equal(202);
    const fact = () => request(`${url}/demo/servers/web-1`, 'POST', factsBody({ cpuLoadPct: '1' }));
    await eventually(
      async () => {
        time += 100;
        return (await fact()).status === 404 || undefined;
      },
      COPY_MS,
      () => 'the other node still takes facts',
    );
    expect((await other.call('GET', '/v1.0/demo')).status).to.equal(503);
    await eventually(
      async () => {
        time += 1_000;
        return (await other.call('DELETE', `/operator/tenants/${id}`)).status === 404 || undefined;
      },
      ENDS_MS,
      async () => `still stored: ${(await storedWith(api, id)).join('\n')}`,
    );
    await nothingStoredWith(api, id);
    for (const node of [other, api])
      expect(okBody(await node.call('GET', '/v1.0/demo'))['windowsize']).to.equal(5);
    expect(okBody(await fact())['id']).to.equal(1);
  });
});
