import { expect } from 'chai';
import { createMuteLinks } from '../../../../src/policy/mute/mute-links.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { post } from '../../../policy/http/mute/link-scene.js';
import { durableSecret } from '../../../../src/store/durable-texts.js';
import { openLmdb } from '../../../../src/store/lmdb/lmdb.js';
import { apiClient, type ApiClient, request } from '../../api-client.js';
import { scenes } from '../../scene.js';
import {
  addGeneric,
  addRule,
  addSubscribedRule,
  ALWAYS,
  cpu,
  okBody,
  subscribe,
  windowSize,
} from '../actions.js';
import { delivery } from '../deliveries.js';
import { storedWith } from '../lifecycle/stored.js';
import { auditPage, changesIn } from './changes.js';

const SERVER = '/v1.0/demo/servers/web-1';

async function ok(api: ApiClient, method: string, path: string, body?: unknown): Promise<void> {
  okBody(await api.call(method, path, body));
}

describe('the audit', () => {
  const open = scenes();

  it('has each change of rules, windows, quiet times and secrets, with the members that differ', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    await windowSize(api, 1);
    const generic = await addGeneric(api);
    await ok(api, 'PUT', `/v1.0/demo/rules/${generic}`, { name: 'other', for: 60 });
    await ok(api, 'DELETE', `/v1.0/demo/rules/${generic}`);
    const own = await addRule(api, 'web-1');
    await ok(api, 'PUT', `${SERVER}/rules/${own}`, { repeat: 0 });
    await ok(api, 'DELETE', `${SERVER}/rules/${own}`);
    await ok(api, 'PUT', '/v1.0/demo/quiet/nights', { servers: ['web-*'], duration: 60 });
    await ok(api, 'DELETE', '/v1.0/demo/quiet/nights');
    const secret = okBody(await api.call('POST', '/v1.0/demo/webhook-secret'))['secret'] as unknown as string;

    expect(await changesIn(api)).to.deep.equal([
      'change windowsize',
      `create rules/${generic}`,
      `change rules/${generic}`,
      `delete rules/${generic}`,
      `create servers/web-1/rules/${own}`,
      `change servers/web-1/rules/${own}`,
      `delete servers/web-1/rules/${own}`,
      'create quiet/nights',
      'delete quiet/nights',
      'rotate webhook-secret',
    ]);
    const { audit, next } = await auditPage(api);
    expect(next).to.equal(null);
    for (const { who, via, tenantId } of audit)
      expect([who, via, tenantId]).to.deep.equal(['demo', 'api', audit[0]!.tenantId]);
    const [size, made, changed, removed] = audit.toReversed();
    expect([size!.before, size!.after]).to.deep.equal([{ windowsize: 5 }, { windowsize: 1 }]);
    expect([made!.before, made!.after]).to.deep.equal([undefined, ALWAYS]);
    expect(changed!.before).to.deep.equal({ name: 'always' });
    expect(changed!.after).to.deep.equal({ name: 'other', for: 60 });
    expect([removed!.before, removed!.after]).to.deep.equal([
      { ...ALWAYS, name: 'other', for: 60 },
      undefined,
    ]);
    expect(JSON.stringify(audit)).to.not.contain(secret);
  });

  it('has each change of subscriptions, without what may be a credential in their urls', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1');
    const url = 'http://hooks.example.org/T0/secret?key=1';
    const id = await subscribe(api, 'web-1', ruleId, url);
    expect(await subscribe(api, 'web-1', ruleId, url)).to.equal(id);
    await cpu(api, 'web-1', 50);
    const path = `${SERVER}/subscription/${id}`;
    await ok(api, 'PUT', `${path}/mute`, { for: 600, comment: 'upgrade' });
    await ok(api, 'DELETE', `${path}/mute`);
    await ok(api, 'DELETE', `${path}/mute`);
    await ok(api, 'PUT', `${path}/ack`, { note: 'mine' });
    await ok(api, 'DELETE', `${path}/ack`);
    await ok(api, 'DELETE', path);
    await ok(api, 'DELETE', SERVER);

    const target = `servers/web-1/subscription/${id}`;
    expect((await changesIn(api)).slice(2)).to.deep.equal([
      `create ${target}`,
      `mute ${target}`,
      `unmute ${target}`,
      `acknowledge ${target}`,
      `unacknowledge ${target}`,
      `delete ${target}`,
      'delete servers/web-1',
    ]);
    const { audit } = await auditPage(api);
    const [made, muted, , acknowledged] = audit.toReversed().slice(2);
    expect(made!.after).to.deep.equal({ ruleId, url: 'http://hooks.example.org/…' });
    expect(muted!.after).to.include({ comment: 'upgrade' });
    expect(acknowledged!.after).to.deep.equal({ by: 'demo', note: 'mine' });
    expect(audit[0]!.before).to.deep.equal({ rules: ['always'], subscriptions: 0 });
    expect(JSON.stringify(audit)).to.not.match(/secret|key=1/);
  });

  it('has the resumption of a suspended subscription, and what people do with deliveries', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const refusing = await open.receiver((response) => response.writeHead(410).end());
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', refusing.origin);
    await cpu(api, 'web-1', 90);
    const path = `${SERVER}/subscription/${subscriptionId}`;
    await eventually(
      async () => okBody(await api.call('GET', path))['suspended'] as unknown,
      SOON_MS,
      () => 'it is not suspended',
    );
    await subscribe(api, 'web-1', ruleId, refusing.origin);
    const dead = await delivery(api, ({ state }) => state === 'dead');
    await ok(api, 'POST', `/v1.0/demo/deliveries/${dead.id}/redelivery`);
    await delivery(api, ({ state, attempts }) => state === 'dead' && attempts.length === 2);
    await ok(api, 'DELETE', `/v1.0/demo/deliveries/${dead.id}`);
    expect((await api.call('DELETE', `/v1.0/demo/deliveries/${dead.id}`)).status).to.equal(404);

    expect((await changesIn(api)).slice(3)).to.deep.equal([
      `resume servers/web-1/subscription/${subscriptionId}`,
      `redeliver deliveries/${dead.id}`,
      `discard deliveries/${dead.id}`,
    ]);
    await eventually(
      async () => !(await storedWith(api, dead.id)).length || undefined,
      SOON_MS,
      () => 'the delivery is still stored',
    );
  });

  it('has no refused change, no change of a dry run, no facts, and nothing with AUDIT_DAYS=0', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    expect((await api.call('POST', '/v1.0/demo/rules?dryRun=true', ALWAYS)).status).to.equal(200);
    expect((await api.call('DELETE', '/v1.0/demo/rules/000000000000000000000000')).status).to.equal(404);
    expect((await api.call('PUT', '/v1.0/demo', { windowsize: 0 })).status).to.equal(400);
    await cpu(api, 'web-1', 50);
    expect(await changesIn(api)).to.deep.equal(['change windowsize']);

    const off = await open.service({ AUDIT_DAYS: '0' });
    await windowSize(off.api, 1);
    const down = await open.receiver((response) => response.writeHead(503).end());
    await addSubscribedRule(off.api, 'web-1', down.origin);
    await cpu(off.api, 'web-1', 50);
    const waiting = await delivery(off.api, ({ attempts }) => attempts.length > 0);
    await ok(off.api, 'DELETE', `/v1.0/demo/deliveries/${waiting.id}`);
    await ok(off.api, 'DELETE', SERVER);
    expect(await changesIn(off.api)).to.deep.equal([]);
  });

  it('says who: a user, an operator, the command, the console, the link of a mail', async () => {
    const DATA_DIR = await open.folder();
    const store = await openLmdb({ folder: DATA_DIR });
    const links = createMuteLinks(await durableSecret(store, 'mute'));
    await store.close();
    const OPERATOR_TOKEN = 'o'.repeat(32);
    const { api, url } = await open.service({ DATA_DIR, OPERATOR_TOKEN });
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/x');
    const { audit: own } = await auditPage(api);
    const { tenantId } = own[0]!;
    await api.call('PUT', '/v1.0/demo', { windowsize: 2 }, { 'user-agent': 'mirzam-command/0.1.0' });
    const operator = { 'x-operator-token': OPERATOR_TOKEN };
    okBody(await request(`${url}/v1.0/demo`, 'PUT', { windowsize: 3 }, operator));
    const log = await request(
      `${url}/console/api/session`,
      'POST',
      { tenantName: 'demo', username: 'demo', password: 'demo' },
      { origin: url, 'sec-fetch-site': 'same-origin' },
    );
    const cookie = log.headers.get('set-cookie')!.split(';')[0]!;
    const session = await request(`${url}/console/api/session`, 'GET', undefined, { cookie });
    const csrf = session.body['csrf'] as unknown as string;
    const inConsole = { cookie, 'x-csrf-token': csrf, origin: url, 'sec-fetch-site': 'same-origin' };
    okBody(await request(`${url}/v1.0/demo`, 'PUT', { windowsize: 4 }, inConsole));
    const signed = links.sign({ tenantId, serverId: 'web-1', subscriptionId }, Date.now());
    expect((await post(`${url}/mute/${signed}`, 'for=3600')).status).to.equal(200);

    const { audit } = await auditPage(api);
    expect(audit.map(({ who, via, what }) => `${who}, ${via}: ${what}`)).to.deep.equal([
      'link of a mail, mail: mute',
      'demo, console: change',
      'operator, operator: change',
      'demo, command: change',
      'demo, api: create',
      'demo, api: create',
    ]);
    const all = okBody(await request(`${url}/operator/audit?tenant=demo`, 'GET', undefined, operator));
    expect(all['audit']).to.deep.equal(audit);
  });

  it('is listed in pages and by filters, for its tenant alone', async () => {
    const { api, url } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:bob:secret' });
    const other = await apiClient(url, 'other', 'bob', 'secret');
    for (const size of [1, 2, 3]) await windowSize(api, size);
    okBody(await other.call('PUT', '/v1.0/other', { windowsize: 9 }));
    await addGeneric(api);

    const first = await auditPage(api, '/v1.0/demo/audit?limit=2');
    expect(first.audit.map(({ what }) => what)).to.deep.equal(['create', 'change']);
    const second = await auditPage(api, `/v1.0/demo/audit?limit=2&before=${first.next}`);
    expect(second.audit.map(({ after }) => after)).to.deep.equal([{ windowsize: 2 }, { windowsize: 1 }]);
    expect(second.next).to.equal(null);
    expect(await changesIn(api, '?what=change')).to.have.length(3);
    expect(await changesIn(api, '?query=rules%2F')).to.have.length(1);
    expect((await api.call('GET', '/v1.0/other/audit')).status).to.equal(403);
    const all = await auditPage(api, '/operator/audit?limit=2');
    expect(all.audit.map(({ who }) => who)).to.deep.equal(['demo', 'bob']);
    for (const wrong of ['before=x', 'limit=0', 'limit=1001', 'tenant=other', 'who=demo'])
      expect((await api.call('GET', `/v1.0/demo/audit?${wrong}`)).status, wrong).to.equal(400);
  });

  it('keeps who deleted a tenant, once', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const { audit: own } = await auditPage(api);
    const { tenantId } = own[0]!;
    const path = `/operator/tenants/${tenantId}`;
    expect((await api.call('DELETE', path)).status).to.equal(202);
    await eventually(
      async () => (await api.call('DELETE', path)).status === 404 || undefined,
      SOON_MS,
      () => 'the tenant is still there',
    );
    const { audit } = await auditPage(api, `/operator/audit?tenant=${tenantId}`);
    expect(audit.map(({ who, what, target }) => `${who}: ${what} ${target}`)).to.deep.equal([
      'operator: delete tenant',
      'demo: change windowsize',
    ]);
    expect(audit[0]!.before).to.deep.equal({ names: ['demo'], rules: [] });
  });

  it('forgets a change after AUDIT_DAYS, and shortens long members', async () => {
    let time = Date.now();
    const { api } = await open.service({ AUDIT_DAYS: '1' }, () => time);
    await addGeneric(api, {
      ...ALWAYS,
      action: { actionName: 'notify-email', email: 'a@example.org', body: 'x'.repeat(5_000) },
    });
    const { audit } = await auditPage(api);
    expect(JSON.stringify(audit)).to.have.length.below(1_000);
    expect(audit[0]!.after)
      .to.have.property('action')
      .that.matches(/^… \(\d+ characters\)$/);
    time += 24 * 60 * 60 * 1000 - 1_000;
    expect(await changesIn(api)).to.have.length(1);
    time += 2_000;
    expect(await changesIn(api)).to.deep.equal([]);
    await eventually(
      async () => !(await api.call('GET', '/operator/export')).text.includes('"id":"audit/') || undefined,
      SOON_MS,
      () => 'it is still stored',
    );
  });
});
