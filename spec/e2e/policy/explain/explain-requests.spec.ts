import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { apiClient, type ApiClient } from '../../api-client.js';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { addGeneric, addRule, addSubscribedRule, cpu, okBody, subscribe, windowSize } from '../actions.js';
import { BUSY, explain, history, measure, only, SERVER, standing } from './explained.js';

describe('requests for explanations and history', () => {
  const open = scenes();
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await open.service());
    await windowSize(api, 2);
  });

  it('explain a generic rule, on each server that is known', async () => {
    const ruleId = await addGeneric(api, BUSY);
    await cpu(api, 'web-1', 1);
    expect((await explain(api, ruleId)).sentence).to.equal(
      'Not evaluated: no subscription of this server has this rule.',
    );
    await subscribe(api, 'web-1', ruleId, 'http://127.0.0.1:9/x');
    await cpu(api, 'web-1', 1);
    expect((await only(api, ruleId)).sentence).to.equal(
      'Does not hold: the mean of cpu is 1, not greater than 85.',
    );
  });

  it('are 404 for a server or a rule that is not known, and refuse other tenants', async () => {
    const ruleId = await addRule(api, 'web-1', BUSY);
    const elsewhere = '/v1.0/demo/servers/web-2';
    expectRefusal(await api.call('GET', `${elsewhere}/rules/${ruleId}/explain`), 404, 'serverId', 'web-2');
    expectRefusal(await api.call('GET', `${elsewhere}/history`), 404, 'serverId', 'web-2');
    expectRefusal(await api.call('GET', `${SERVER}/rules/r9/explain`), 404, 'ruleId', 'r9');
    await cpu(api, 'web-2', 1);
    expectRefusal(await api.call('GET', `${elsewhere}/rules/${ruleId}/explain`), 404, 'ruleId', ruleId);
    expect(okBody(await api.call('GET', `${elsewhere}/history`))).to.deep.equal({ history: [] });
    for (const path of [`${SERVER}/rules/${ruleId}/explain`, `${SERVER}/history`]) {
      expectRefusal(await api.call('GET', path, undefined, { 'x-auth-token': '' }), 401);
      expectRefusal(await api.call('GET', path.replace('demo', 'other')), 403);
    }
  });

  it('refuse wrong and unknown parameters', async () => {
    const ruleId = await addRule(api, 'web-1', BUSY);
    const get = (path: string) => api.call('GET', `${SERVER}/${path}`);
    for (const limit of ['0', '201', '-1', '1.5', 'ten', '1e2']) {
      expectRefusal(await get(`history?limit=${limit}`), 400, 'limit', 'from 1 to 200');
    }
    expectRefusal(await get('history?limit=1&limit=2'), 400, 'limit', 'once');
    expectRefusal(await get('history?after=1'), 400, '"after"', 'allowed: limit');
    expectRefusal(await get(`rules/${ruleId}/explain?limit=1`), 400, '"limit"', 'allowed: none');
    expect(await history(api, '?limit=200')).to.deep.equal([]);
  });

  it('are answered as before after a restart', async () => {
    const folder = await open.folder();
    const first = await open.service({ DATA_DIR: folder });
    await windowSize(first.api, 1);
    const receiver = await open.receiver();
    const { ruleId } = await addSubscribedRule(first.api, 'web-1', receiver.origin, BUSY);
    for (const value of [90, 10, 91, 92]) await cpu(first.api, 'web-1', value);
    await standing(first.api, ruleId, 'delivered');
    const [before, past] = [await explain(first.api, ruleId), await history(first.api)];
    expect(past.map(({ factId }) => factId)).to.deep.equal([3, 2, 1]);
    await first.close();

    const second = await open.service({ DATA_DIR: folder });
    expect(await explain(second.api, ruleId)).to.deep.equal(before);
    expect(await history(second.api)).to.deep.equal(past);
    await cpu(second.api, 'web-1', 93);
    expect(await only(second.api, ruleId)).to.include({ firings: 4, since: before.subscriptions[0]!.since });
  });

  it('find the histories among the actors', async () => {
    const { ruleId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/x', BUSY);
    await measure(api, { cpuLoadPct: 1 }, { cpuLoadPct: 1 });
    const actors = await eventually(
      async () => {
        const page = okBody(await api.call('GET', '/operator/actors?kind=history&state=kept'));
        return (page['actors'] as unknown as object[]).length > 0 ? page['actors'] : undefined;
      },
      SOON_MS,
      () => 'there is no history',
    );
    expect(JSON.stringify(actors)).to.include('web-1');
    expect((await only(api, ruleId)).state).to.equal('calm');
  });

  it('are refused with the token of another tenant', async () => {
    const { url } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,eve:eve:eve' });
    const eve = await apiClient(url, 'eve', 'eve', 'eve');
    expectRefusal(await eve.call('GET', `${SERVER}/history`), 403);
  });
});
