import { expect } from 'chai';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { ALWAYS, addRule, addSubscribedRule, okBody, subscribe, windowSize } from '../actions.js';
import { element, factsBefore, serversOf } from './taken.js';

describe('facts by entity that are refused', () => {
  const open = scenes();

  it('change nothing on any server if one element has a fault, which the answer names', async () => {
    const { api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const good = { id: 'web-1', type: 'host', cpuLoadPct: 1 };
    const longest = 'a'.repeat(256);
    for (const id of ['', '.', '..', 'a b', 'a/b', 'web-1.json', `${longest}a`, 7, null, undefined]) {
      const answer = await api.call('POST', '/demo/notify', { data: [good, { ...good, id }] });
      expectRefusal(answer, 400, 'data[1].id');
      expect(answer.body.error!.message).not.to.include('data[0]');
      const ngsi10 = { contextResponses: [element('web-1', '1'), element(id, '1')] };
      expectRefusal(
        await api.call('POST', '/demo/notify', ngsi10),
        400,
        'contextResponses[1].contextElement.id',
      );
    }
    const several = { data: [good, { ...good, id: '?' }, { ...good, cpuLoadPct: 101 }] };
    expectRefusal(await api.call('POST', '/demo/notify', several), 400, 'data[1].id', 'data[2].cpuLoadPct');
    const pattern = { contextElement: { id: 'web-1', isPattern: 'true', attributes: [] } };
    const patterns = { contextResponses: [element('web-1', '1'), pattern] };
    expectRefusal(await api.call('POST', '/demo/notify', patterns), 400, 'isPattern');
    expectRefusal(
      await api.call('POST', '/demo/notify', { contextResponses: [element('a', '1', { code: '500' })] }),
      400,
    );
    expect(await serversOf(api)).to.deep.equal([]);
    okBody(await api.call('POST', '/demo/notify', { data: [{ ...good, id: longest }] }));
    expect(await serversOf(api)).to.deep.equal([longest]);
  });

  it('change nothing on any server if one of them could have more than 1,000 messages', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1');
    for (let i = 0; i < 3; i += 1) await subscribe(api, 'web-1', ruleId, `http://127.0.0.1:9/${i}`);
    const of = (id: string, count: number): readonly object[] =>
      Array.from({ length: count }, () => ({ id, type: 'host', usedMemPct: 1 }));
    const tooMany = { data: [...of('db-1', 400), ...of('web-1', 334)] };
    expectRefusal(
      await api.call('POST', '/demo/notify', tooMany),
      413,
      'server web-1',
      'at most 333 elements',
    );
    expect(await serversOf(api)).to.deep.equal(['web-1']);
    const most = { data: [...of('db-1', 400), ...of('web-1', 333)] };
    expect(okBody(await api.call('POST', '/demo/notify', most))).to.deep.include({ facts: 733, servers: 2 });
    expectRefusal(await api.call('POST', '/demo/notify', { data: of('web-1', 334) }), 413, 'server web-1');
    expect(await factsBefore(api, 'web-1')).to.equal(333);
  });

  it('change nothing on any server if the messages of one of them are too large together', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const action = { actionName: 'notify-email', email: 'ops@example.org', body: 'x'.repeat(65_000) };
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', { ...ALWAYS, action });
    const tooLarge = Array.from({ length: 300 }, () => ({ id: 'web-1', type: 'host', cpuLoadPct: 1 }));
    const data = [{ id: 'db-1', type: 'host', cpuLoadPct: 1 }, ...tooLarge];
    expectRefusal(await api.call('POST', '/demo/notify', { data }), 413, 'server web-1', 'send fewer');
    expect(await serversOf(api)).to.deep.equal(['web-1']);
    expect(await factsBefore(api, 'web-1')).to.equal(0);
  });
});
