import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Broker } from '../../../src/broker/port.js';
import { brokerSubscription } from '../../../src/policy/subscriptions/broker-use.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { ALWAYS, addRule, arrived, cpu, factsBody, subscribe, okBody, windowSize } from './actions.js';
import { scenes } from '../scene.js';

const IDS = [
  'urn:ngsi-ld:Host:web-1',
  'db.example.org',
  'db.example.org.',
  '10.0.0.7:9100',
  '~root',
  '...',
  ':',
  'web.json.1',
  'a'.repeat(256),
];

/** Sends a path unchanged, which `fetch` does not. */
async function raw(url: string, method: string, path: string, token: string, body?: object) {
  const { hostname, port } = new URL(url);
  const headers = { 'x-auth-token': token, 'content-type': 'application/json' };
  const sent = httpRequest({ hostname, port, method, path, headers });
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

describe('servers with URNs, host names and addresses as ids', () => {
  const open = scenes();

  it('work in rules, subscriptions, facts, webhooks, mails, listings and the view of operators', async () => {
    const { api, url } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const mailed = {
      ...ALWAYS,
      action: { actionName: 'notify-email', email: 'ops@example.org', body: 'look' },
    };
    for (const id of IDS) {
      const ruleId = await addRule(api, id, mailed);
      const base = `/v1.0/demo/servers/${id}`;
      const subscriptionId = await subscribe(api, id, ruleId, `${receiver.origin}/hook`);
      expect(await cpu(api, id, 50), id).to.equal(1);
      const [got] = await arrived(receiver, 1);
      const fired = JSON.parse(got!.body) as { tenantId: string };
      expect(fired).to.include({ serverId: id, factId: 1 });
      expect(okBody(await api.call('GET', `${base}/`))).to.include({ serverId: id });
      expect(okBody(await api.call('GET', `${base}/rules/${ruleId}`))).to.include({ ruleId });
      expect(okBody(await api.call('GET', `${base}/subscription/${subscriptionId}`))).to.include({
        serverId: id,
      });
      const encoded = encodeURIComponent(id);
      expect(okBody(await api.call('GET', `/v1.0/demo/servers/${encoded}.json`))).to.include({
        serverId: id,
      });
      okBody(await api.call('POST', `/v1.0/demo/servers/${encoded}`, factsBody({ usedMemPct: '1' })));
      const shown = okBody(await api.call('GET', `/operator/actors/server/${fired.tenantId}/${id}`));
      expect(shown).to.include({ name: id });
      const mail = await eventually(
        async () => {
          const mails = okBody(await api.call('GET', '/operator/inbox')) as unknown as {
            subject: string;
            text: string;
          }[];
          return mails.find(({ subject }) => subject.endsWith(` on ${id}`));
        },
        SOON_MS,
        () => `no mail of ${id}`,
      );
      const link = /Where to look: (\S+)/.exec(mail.text)?.[1];
      const page = `/servers/${fired.tenantId}/${encodeURIComponent(id)}`;
      expect(link).to.equal(`${url}/console${page}`);
      expect(okBody(await api.call('GET', `/console/api${page}`))).to.include({ serverId: id });
      receiver.got.splice(0);
    }
    const { servers } = okBody(await api.call('GET', '/v1.0/demo/servers')) as unknown as {
      servers: { serverId: string }[];
    };
    expect(servers.map(({ serverId }) => serverId)).to.have.members(IDS);
  });

  it('cannot be . or .., however written', async () => {
    const { api, url } = await open.service();
    for (const id of ['.', '..', '%2e', '%2E%2e', '.%2E']) {
      for (const [method, path, body] of [
        ['POST', `/demo/servers/${id}`, factsBody({ cpuLoadPct: '1' })],
        ['POST', `/v1.0/demo/servers/${id}`, factsBody({ cpuLoadPct: '1' })],
        ['GET', `/v1.0/demo/servers/${id}`, undefined],
        ['GET', `/v1.0/demo/servers/${id}/`, undefined],
        ['POST', `/v1.0/demo/servers/${id}/rules`, ALWAYS],
        ['GET', `/v1.0/demo/servers/${id}/rules/r`, undefined],
        ['POST', `/v1.0/demo/servers/${id}/subscription`, { ruleId: 'r', url: 'http://a.example/' }],
      ] as const) {
        const answer = await raw(url, method, path, api.token, body);
        expect(answer.status, `${method} ${path}: ${answer.body}`).to.equal(400);
        expect(answer.body).to.contain('serverId in the path must match');
      }
    }
    expect(okBody(await api.call('GET', '/v1.0/demo/servers'))).to.deep.equal({ servers: [] });
  });

  it('may end in .json, which a path then has twice', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    okBody(await api.call('POST', '/demo/servers/web-1.json', factsBody({ cpuLoadPct: '1' })));
    okBody(await api.call('POST', '/demo/servers/web-2.json.json', factsBody({ cpuLoadPct: '1' })));
    await addRule(api, 'web-3.json');
    const listed = okBody(await api.call('GET', '/v1.0/demo/servers.json')) as unknown as {
      servers: { serverId: string }[];
    };
    expect(listed.servers.map(({ serverId }) => serverId)).to.have.members([
      'web-1',
      'web-2.json',
      'web-3.json',
    ]);
    const use = {
      port: {} as Broker,
      publicUrl: () => 'http://here:8080/mirzam',
      headers: {},
      entityType: 'host',
      attributes: ['cpuLoadPct'],
      tenantOf: () => undefined,
      followed: new Set<string>(),
    };
    const callback = (id: string) => brokerSubscription(use, 'demo', id).callback;
    expect(callback('web-1.json')).to.equal('http://here:8080/mirzam/v1.0/demo/servers/web-1.json.json');
    expect(callback('urn:ngsi-ld:Host:web-1')).to.equal(
      'http://here:8080/mirzam/v1.0/demo/servers/urn:ngsi-ld:Host:web-1',
    );
  });
});
