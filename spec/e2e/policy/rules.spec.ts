import { expect } from 'chai';
import type { ApiClient } from '../api-client.js';
import {
  ALWAYS,
  addGeneric,
  addRule,
  arrived,
  cpu,
  firedIn,
  subscribe,
  okBody,
  addSubscribedRule,
  windowSize,
} from './actions.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';

const DOWN = { actionName: 'notify-scale', operation: 'scaleDown' };
const NEVER = { cpu: { value: 100, operand: 'greater' } };

describe('a rule', () => {
  const open = scenes();
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await open.service());
    await windowSize(api, 1);
  });

  for (const level of ['rules', 'servers/web-1/rules']) {
    describe(`of /v1.0/{tenantId}/${level}`, () => {
      let path: string;
      beforeEach(async () => {
        const created = await api.call('POST', `/v1.0/demo/${level}`, ALWAYS);
        path = `/v1.0/demo/${level}/${okBody(created)['ruleId']}`;
      });

      for (const [what, change] of Object.entries({
        name: { name: 'renamed' },
        condition: { condition: { mem: { value: 1, operand: 'less' } } },
        action: { action: { actionName: 'notify-email', email: 'a@b.org', body: 'x' } },
        'name and condition': { name: 'n', condition: NEVER },
        'condition and action': { condition: NEVER, action: DOWN },
      })) {
        it(`is updated in ${what} alone, each member as a whole`, async () => {
          const wanted = { name: ALWAYS.name, condition: ALWAYS.condition, action: ALWAYS.action, ...change };
          expect(okBody(await api.call('PUT', path, change))).to.deep.equal(wanted);
          const { ruleId, ...shown } = okBody(await api.call('GET', path)) as Record<string, unknown>;
          expect(shown).to.deep.equal(wanted);
          expect(path).to.include(String(ruleId));
        });
      }

      it('is not updated by an invalid body', async () => {
        for (const [change, word] of [
          [{}, 'at least one of name, condition, action'],
          [{ ruleId: 'x' }, 'must not have ruleId'],
          [{ name: 'n', id: 1 }, 'must not have id'],
          [{ name: '' }, 'name: '],
          [{ name: null }, 'name: '],
          [{ condition: {} }, 'condition: must have at least one of cpu, mem, hdd, net'],
          [{ condition: { disk: { value: 1, operand: 'less' } } }, 'condition: must not have disk'],
          [{ action: { actionName: 'notify-scale' } }, 'action.operation: must be scaleUp or scaleDown'],
          [{ action: { ...DOWN, email: 'a@b.org' } }, 'action: must not have email'],
        ] as const) {
          expectRefusal(await api.call('PUT', path, change), 400, word);
        }
        expect(okBody(await api.call('GET', path))).to.deep.include(ALWAYS);
      });

      it('is not created from an invalid body; the answer names every problem', async () => {
        const bad = {
          name: 'x\ny',
          condition: { cpu: { value: '80', operand: 'greater' }, mem: { value: 1, operand: '>' } },
          action: { actionName: 'notify-email', email: 'nobody', body: ' ' },
          ruleId: 'mine',
        };
        const answer = await api.call('POST', `/v1.0/demo/${level}`, bad);
        expectRefusal(answer, 400, 'name: ', 'condition.cpu.value: ', 'condition.mem.operand: ');
        expectRefusal(answer, 400, 'action.email: ', 'action.body: ', 'must not have ruleId');
      });
    });
  }

  it('is added from an array with all others or not at all; names need not be unique', async () => {
    const path = '/v1.0/demo/servers/web-1/rules';
    const bad = [ALWAYS, { ...ALWAYS, name: '' }, { ...ALWAYS, ruleId: 'x' }];
    expectRefusal(await api.call('POST', path, bad), 400, '[1].name', '[2]: must not have ruleId');
    expectRefusal(await api.call('GET', '/v1.0/demo/servers/web-1'), 404, 'serverId');
    okBody(await api.call('POST', path, [ALWAYS, ALWAYS]));
    expect(okBody(await api.call('GET', '/v1.0/demo/servers/web-1'))['rules']).to.have.length(2);
  });

  it('is one of at most 1,000 on a server; more are 413 and change nothing', async () => {
    const path = '/v1.0/demo/servers/web-1/rules';
    okBody(
      await api.call(
        'POST',
        path,
        Array.from({ length: 999 }, () => ALWAYS),
      ),
    );
    expectRefusal(await api.call('POST', path, [ALWAYS, ALWAYS]), 413, '1000 rules');
    okBody(await api.call('POST', path, ALWAYS));
    expectRefusal(await api.call('POST', path, ALWAYS), 413, '1000 rules');
    expect(okBody(await api.call('GET', '/v1.0/demo/servers/web-1'))['rules']).to.have.length(1000);
  });

  it('fires only with a subscription, with its current condition and action', async () => {
    const receiver = await open.receiver();
    const ruleId = await addRule(api, 'web-1');
    await cpu(api, 'web-1', 1);
    const id = await subscribe(api, 'web-1', ruleId, receiver.origin);
    const path = `/v1.0/demo/servers/web-1/rules/${ruleId}`;
    await api.call('PUT', path, { action: DOWN });
    await cpu(api, 'web-1', 2);
    await api.call('PUT', path, { condition: NEVER });
    await cpu(api, 'web-1', 3);
    await api.call('PUT', path, { condition: ALWAYS.condition, name: 'again' });
    await cpu(api, 'web-1', 4);
    await api.call('DELETE', `/v1.0/demo/servers/web-1/subscription/${id}`);
    await cpu(api, 'web-1', 5);
    const sentinel = await addSubscribedRule(api, 'web-2', receiver.origin);
    await cpu(api, 'web-2', 6);
    const fired = firedIn(await arrived(receiver, 3));
    const seen = fired.map(({ action, factId, ruleName, subscriptionId }) =>
      [action, factId, ruleName, subscriptionId].join(' '),
    );
    expect(seen).to.have.members([
      `scaleDown 2 always ${id}`,
      `scaleDown 4 again ${id}`,
      `scaleUp 1 always ${sentinel.subscriptionId}`,
    ]);
  });

  it('that is deleted ends its subscriptions; earlier firings are still delivered', async () => {
    const receiver = await open.receiver();
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin);
    const other = await addSubscribedRule(api, 'web-1', `${receiver.origin}/other`);
    await cpu(api, 'web-1', 1);
    okBody(await api.call('DELETE', `/v1.0/demo/servers/web-1/rules/${ruleId}`));
    const path = '/v1.0/demo/servers/web-1/subscription';
    expectRefusal(await api.call('GET', `${path}/${subscriptionId}`), 404, 'subscriptionId');
    expectRefusal(await api.call('DELETE', `${path}/${subscriptionId}`), 404, 'subscriptionId');
    expectRefusal(await api.call('POST', path, { ruleId, url: receiver.origin }), 404, 'ruleId');
    await cpu(api, 'web-1', 2);
    const got = await arrived(receiver, 3);
    const seen = firedIn(got).map(({ factId }, i) => `${got[i]!.url} ${factId}`);
    expect(seen).to.have.members(['/ 1', '/other 1', '/other 2']);
    okBody(await api.call('GET', `${path}/${other.subscriptionId}`));
  });
});

describe('a generic rule', () => {
  const open = scenes();
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await open.service());
    await windowSize(api, 1);
  });

  it('that is changed takes effect on every server with the next fact', async () => {
    const receiver = await open.receiver();
    const ruleId = await addGeneric(api, { ...ALWAYS, condition: NEVER });
    const servers = ['web-1', 'web-2', 'web-3'];
    for (const server of servers) {
      await subscribe(api, server, ruleId, receiver.origin);
      await cpu(api, server, 1);
    }
    okBody(await api.call('PUT', `/v1.0/demo/rules/${ruleId}`, { condition: ALWAYS.condition }));
    for (const server of servers) await cpu(api, server, 2);
    okBody(await api.call('PUT', `/v1.0/demo/rules/${ruleId}`, { condition: NEVER, action: DOWN }));
    for (const server of servers) await cpu(api, server, 3);
    okBody(await api.call('PUT', `/v1.0/demo/rules/${ruleId}`, { condition: ALWAYS.condition }));
    for (const server of servers) await cpu(api, server, 4);
    const fired = firedIn(await arrived(receiver, 6));
    expect(fired.map(({ serverId, factId, action }) => `${serverId} ${factId} ${action}`)).to.have.members(
      servers.flatMap((server) => [`${server} 2 scaleUp`, `${server} 4 scaleDown`]),
    );
  });

  it('that is deleted ends its subscriptions on all its servers at once', async () => {
    const receiver = await open.receiver();
    const ruleId = await addGeneric(api);
    // Too many servers to have ended all subscriptions before the deletion is answered.
    const servers = Array.from({ length: 600 }, (_, i) => `web-${1000 + i}`);
    const paths = await Promise.all(
      servers.map(async (server) => {
        const id = await subscribe(api, server, ruleId, receiver.origin);
        return `/v1.0/demo/servers/${server}/subscription/${id}`;
      }),
    );
    okBody(await api.call('DELETE', `/v1.0/demo/rules/${ruleId}`));
    const asked = paths.slice(-60).flatMap((path) => [api.call('DELETE', path), api.call('GET', path)]);
    for (const answer of await Promise.all(asked)) expectRefusal(answer, 404, 'subscriptionId');
    expectRefusal(
      await api.call('POST', '/v1.0/demo/servers/web-1000/subscription', { ruleId, url: receiver.origin }),
      404,
      'ruleId',
    );
    await Promise.all(servers.slice(-50).map((server) => cpu(api, server, 1)));
    await addSubscribedRule(api, 'sentinel', `${receiver.origin}/sentinel`);
    await cpu(api, 'sentinel', 1);
    expect((await arrived(receiver, 1)).map(({ url }) => url)).to.deep.equal(['/sentinel']);
  });
});
