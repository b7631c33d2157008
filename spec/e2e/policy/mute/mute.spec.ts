import { expect } from 'chai';
import { type ApiAnswer, apiClient, type ApiClient } from '../../api-client.js';
import { expectRefusal } from '../../refusal.js';
import type { Explanation } from '../../../../src/policy/explain/shapes.js';
import { scenes } from '../../scene.js';
import { addGeneric, addSubscribedRule, okBody, subscribe } from '../actions.js';

const URL_1 = 'http://127.0.0.1:9/hook';
const DAY_S = 86_400;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const path = (id: string, server = 'web-1'): string => `/v1.0/demo/servers/${server}/subscription/${id}`;
const mute = (api: ApiClient, id: string, body: unknown): Promise<ApiAnswer> =>
  api.call('PUT', `${path(id)}/mute`, body);
const unmute = (api: ApiClient, id: string): Promise<ApiAnswer> => api.call('DELETE', `${path(id)}/mute`);

/** Operation 17. */
const shown = async (api: ApiClient, id: string): Promise<Record<string, unknown>> =>
  okBody(await api.call('GET', path(id)));

describe('the mute of a subscription', () => {
  const open = scenes();

  it('lasts for some seconds, and operation 17 shows its end', async () => {
    const { api } = await open.service();
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', URL_1);
    const other = await subscribe(api, 'web-1', ruleId, 'http://127.0.0.1:9/other');
    const before = await shown(api, subscriptionId);
    const earliest = Date.now() + 3_600_000;
    const { mutedUntil, ...more } = okBody(await mute(api, subscriptionId, { for: 3600 }));
    expect(more).to.deep.equal({});
    expect(mutedUntil).to.match(ISO);
    expect(Date.parse(mutedUntil!)).to.be.within(earliest, Date.now() + 3_600_000);
    expect(await shown(api, subscriptionId)).to.deep.equal({ ...before, mutedUntil });
    expect(Object.keys(await shown(api, other))).not.to.include('mutedUntil');
  });

  it('has a comment, which explain shows with its author until the mute is replaced or ends', async () => {
    const { api } = await open.service();
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', URL_1);
    const explained = async () => {
      const answer = okBody(await api.call('GET', `/v1.0/demo/servers/web-1/rules/${ruleId}/explain`));
      return (answer as unknown as Explanation).subscriptions[0]!;
    };
    const before = Date.now();
    const comment = 'The disk is replaced.';
    const muted = okBody(await mute(api, subscriptionId, { for: 3600, comment }));
    expect(Object.keys(muted)).to.deep.equal(['mutedUntil']);
    const { at, ...rest } = (await explained()).mute!;
    expect(rest).to.deep.equal({ by: 'demo', comment });
    expect(Date.parse(at)).to.be.within(before, Date.now());
    okBody(await mute(api, subscriptionId, { for: 3600 }));
    expect(Object.keys(await explained()))
      .to.include('mutedUntil')
      .and.not.include('mute');
    okBody(await mute(api, subscriptionId, { for: 3600, comment }));
    okBody(await unmute(api, subscriptionId));
    expect(Object.keys(await explained())).not.to.include.members(['mute']);
    for (const wrong of ['x'.repeat(1_001), 7])
      expectRefusal(await mute(api, subscriptionId, { for: 3600, comment: wrong }), 400, 'comment: must be');
  });

  it('lasts until a time in any zone, and a later request replaces it', async () => {
    const { api } = await open.service();
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', URL_1);
    const at = Math.floor(Date.now() / 1000) * 1000 + DAY_S * 1000;
    const inZone = `${new Date(at + 5_400_000).toISOString().slice(0, 19)}+01:30`;
    const mutedUntil = new Date(at).toISOString();
    okBody(await mute(api, subscriptionId, { for: 2_592_000 }));
    expect(okBody(await mute(api, subscriptionId, { until: inZone }))).to.deep.equal({ mutedUntil });
    expect((await shown(api, subscriptionId))['mutedUntil']).to.equal(mutedUntil);
  });

  it('is over at its end', async () => {
    const { api } = await open.service();
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', URL_1);
    const until = new Date(Date.now() + 3_000).toISOString();
    okBody(await mute(api, subscriptionId, { until }));
    while ('mutedUntil' in (await shown(api, subscriptionId))) {
      expect(Date.now()).to.be.below(Date.parse(until) + 10_000);
    }
    expect(Date.now()).to.be.at.least(Date.parse(until));
  });

  it('is ended by DELETE, which is 200 and empty, muted or not', async () => {
    const { api } = await open.service();
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', URL_1);
    const before = await shown(api, subscriptionId);
    okBody(await mute(api, subscriptionId, { for: 60 }));
    for (let i = 0; i < 2; i += 1) {
      const { status, text } = await unmute(api, subscriptionId);
      expect([status, text]).to.deep.equal([200, '']);
      expect(await shown(api, subscriptionId)).to.deep.equal(before);
    }
  });

  it('takes no query parameter: a time in the query would be lost', async () => {
    const { api } = await open.service();
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', URL_1);
    const before = await shown(api, subscriptionId);
    for (const answer of [
      await api.call('PUT', `${path(subscriptionId)}/mute?until=2099-01-01T00:00:00Z`, { for: 60 }),
      await api.call('DELETE', `${path(subscriptionId)}/mute?for=60`),
    ]) {
      expectRefusal(answer, 400, 'is no parameter here; allowed: none');
    }
    expect(await shown(api, subscriptionId)).to.deep.equal(before);
  });

  it('outlasts a restart and operation 15, and ends with operation 16', async () => {
    const folder = await open.folder();
    const first = await open.service({ DATA_DIR: folder });
    const { ruleId, subscriptionId } = await addSubscribedRule(first.api, 'web-1', URL_1);
    const { mutedUntil } = okBody(await mute(first.api, subscriptionId, { for: DAY_S }));
    await first.close();
    const { api } = await open.service({ DATA_DIR: folder });
    expect(await subscribe(api, 'web-1', ruleId, URL_1)).to.equal(subscriptionId);
    expect((await shown(api, subscriptionId))['mutedUntil']).to.equal(mutedUntil);
    okBody(await api.call('DELETE', path(subscriptionId)));
    expectRefusal(await mute(api, subscriptionId, { for: 1 }), 404, 'subscriptionId', subscriptionId);
    const next = await subscribe(api, 'web-1', ruleId, URL_1);
    expect(Object.keys(await shown(api, next))).not.to.include('mutedUntil');
  });

  it('is 400 for another body, and the message says what is allowed', async () => {
    const { api } = await open.service();
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', URL_1);
    const seconds = 'for: must be an integer from 1 to 2592000, in seconds';
    const time = 'until: must be a time of ISO 8601 with a zone, such as 2026-11-21T11:00:00Z';
    const future = 'until: must be in the future and at most 30 days ahead';
    const one = 'must have one of for, until';
    const cases: readonly (readonly [unknown, string])[] = [
      ...[0, -1, 1.5, 2_592_001, '60', null, true].map((value) => [{ for: value }, seconds] as const),
      ...['', 'tomorrow', '2026-11-21', '2026-11-21T11:00:00', '2027-02-30T00:00:00Z', 1, null].map(
        (value) => [{ until: value }, time] as const,
      ),
      [{ until: new Date(Date.now() - 1).toISOString() }, future],
      [{ until: '1999-12-31T23:59:59Z' }, future],
      [{ until: new Date(Date.now() + 30 * DAY_S * 1000 + 60_000).toISOString() }, future],
      [{}, one],
      [{ for: 60, until: '2999-01-01T00:00:00Z' }, one],
      [{ for: 60, because: 'noise' }, 'must not have because; allowed: for, until'],
      [[], 'body: must be a JSON object'],
      [60, 'body: must be a JSON object'],
    ];
    for (const [body, message] of cases) {
      const answer = await mute(api, subscriptionId, JSON.stringify(body));
      expectRefusal(answer, 400, message);
    }
    expect(Object.keys(await shown(api, subscriptionId))).not.to.include('mutedUntil');
  });

  it('is 404 for a subscription that operation 17 does not show', async () => {
    const { api } = await open.service();
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', URL_1);
    const ruleId = await addGeneric(api);
    const orphan = await subscribe(api, 'web-1', ruleId, URL_1);
    okBody(await api.call('DELETE', `/v1.0/demo/rules/${ruleId}`));
    for (const at of [path(orphan), path('unknown'), path(subscriptionId, 'web-2')]) {
      expectRefusal(await api.call('PUT', `${at}/mute`, { for: 60 }), 404, 'subscriptionId');
      expectRefusal(await api.call('DELETE', `${at}/mute`), 404, 'subscriptionId');
    }
  });

  it('is for the tenant alone, and for methods PUT and DELETE', async () => {
    const { url, api } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', URL_1);
    const other = await apiClient(url, 'other', 'olga', 'pass');
    for (const method of ['PUT', 'DELETE']) {
      const at = `${path(subscriptionId)}/mute`;
      const body = method === 'PUT' ? { for: 60 } : undefined;
      expectRefusal(await other.call(method, at, body), 403, 'tenantId');
      expectRefusal(await other.call(method, at.replace('demo', 'other'), body), 404, 'subscriptionId');
      expectRefusal(await api.call(method, at, body, { 'x-auth-token': 'nonsense' }), 401, 'X-Auth-Token');
    }
    for (const method of ['GET', 'POST']) {
      const answer = await api.call(method, `${path(subscriptionId)}/mute`);
      expectRefusal(answer, 405);
      expect(answer.headers.get('allow')).to.equal('DELETE, OPTIONS, PUT');
    }
    expect(Object.keys(await shown(api, subscriptionId))).not.to.include('mutedUntil');
  });
});
