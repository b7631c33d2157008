import { expect } from 'chai';
import { addGeneric, cpu, okBody, addSubscribedRule } from '../e2e/policy/actions.js';
import { isFirstOfRange } from '../../src/store/revisions.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { expectRefusal } from '../e2e/refusal.js';
import { scenes } from '../e2e/scene.js';

interface Shown {
  readonly kind: string;
  readonly tenant: string;
  readonly name: string;
  readonly state: string;
  readonly revision: number;
  readonly wakeAt: string | null;
}

const idOf = ({ kind, tenant, name }: Shown): string => `${kind}/${tenant}/${name}`;

describe('/operator/actors', () => {
  const open = scenes();
  let api: ApiClient;
  beforeEach(async () => {
    // Entries of the audit are actors, which come a moment after the changes.
    const { url, api: demo } = await open.service({
      IDENTITY_USERS: 'demo:demo:demo,other:olga:pass',
      AUDIT_DAYS: '0',
    });
    api = demo;
    await addSubscribedRule(api, 'watched', 'http://127.0.0.1:9/');
    for (let i = 0; i < 5; i += 1) await cpu(api, `web-${i}`, 1);
    const other = await apiClient(url, 'other', 'olga', 'pass');
    okBody(await other.call('POST', '/v1.0/other/servers/web-0/rules', await ruleOf(api)));
  });
  const list = async (
    query = '',
  ): Promise<{ readonly actors: readonly Shown[]; readonly next: string | null }> =>
    okBody(await api.call('GET', `/operator/actors?${query}`)) as never;
  const tenantId = async (): Promise<string> =>
    (await list('kind=server')).actors.find(({ name }) => name === 'watched')!.tenant;

  it('lists all actors, ordered by kind, tenant and name', async () => {
    const { actors, next } = await list();
    expect(next).to.equal(null);
    const keys = actors.map(({ kind, tenant, name }) => [kind, tenant, name].join(' '));
    expect(keys).to.deep.equal(keys.toSorted());
    const counts = (kind: string): number => actors.filter((one) => one.kind === kind).length;
    expect([counts('server'), counts('tenant'), counts('tenant-name')]).to.deep.equal([7, 2, 2]);
    expect(actors).to.have.length(11 + counts('receiver'));
    const watched = actors.find(({ name }) => name === 'watched')!;
    const shown = { kind: 'server', name: 'watched', state: 'filling', wakeAt: null };
    const { revision, ...others } = watched;
    expect(others).to.deep.equal({ ...shown, tenant: watched.tenant });
    expect(isFirstOfRange(revision - 1), 'its second revision').to.equal(true);
  });

  it('filters by kind, tenant and state, alone and together', async () => {
    const { actors } = await list();
    const tenant = await tenantId();
    for (const wanted of [
      { kind: 'server' },
      { tenant },
      { state: 'filling' },
      { state: 'unwatched' },
      { kind: 'server', tenant },
      { kind: 'server', state: 'unwatched' },
      { tenant, state: 'unwatched' },
      { kind: 'server', tenant, state: 'filling' },
    ]) {
      const found = await list(new URLSearchParams(wanted as Record<string, string>).toString());
      const fitting = actors.filter((one) =>
        Object.entries(wanted).every(([name, value]) => one[name as keyof Shown] === value),
      );
      expect(fitting, JSON.stringify(wanted)).not.to.deep.equal([]);
      expect(found.actors, JSON.stringify(wanted)).to.deep.equal(fitting);
    }
    expect((await list('tenant=nobody')).actors).to.deep.equal([]);
    expect((await list('state=firing')).actors).to.deep.equal([]);
    expect((await list('kind=&tenant=&state=')).actors).to.deep.equal(actors);
  });

  it('finds a part of the name in any case, over kinds, page by page', async () => {
    const found = (await list('query=WEB-')).actors.map(idOf);
    expect(found).to.deep.equal((await list()).actors.filter(({ name }) => name.includes('web-')).map(idOf));
    expect(found).to.have.length(6);
    expect((await list('query=web-0&kind=server')).actors).to.have.length(2);
    expect(await list('query=nothing')).to.deep.equal({ actors: [], next: null });
    const walked: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page = await list(`query=web&limit=2&after=${encodeURIComponent(after)}`);
      walked.push(...page.actors.map(idOf));
      after = page.next;
    }
    expect(walked).to.deep.equal(found);
  });

  for (const limit of [1, 2, 3, 10, 11]) {
    it(`lists each item once in pages of ${limit}`, async () => {
      for (const filter of ['', 'kind=server', 'state=unwatched']) {
        const whole = (await list(filter)).actors.map(idOf);
        const walked: string[] = [];
        let after = '';
        for (;;) {
          const page = await list(`${filter}&limit=${limit}&after=${encodeURIComponent(after)}`);
          expect(page.actors.length).to.be.at.most(limit);
          walked.push(...page.actors.map(idOf));
          if (page.next === null) break;
          expect(page.actors).to.have.length(limit);
          after = page.next;
        }
        expect(walked).to.deep.equal(whole);
      }
    });
  }

  it('answers an unknown filter with 400 that names it', async () => {
    for (const [query, ...words] of [
      ['kind=serve', 'kind: must be one of', 'server', 'tenant', 'delivery'],
      ['foo=1', '"foo": is no parameter here; allowed: kind, tenant, state, query, limit, after'],
      ['limit=0', 'limit', '1 to 1000'],
      ['limit=1001', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=x', 'limit'],
      ['limit=1&limit=2', 'limit: must be given once'],
      ['tenant=a&tenant=b', 'tenant: must be given once'],
      ['tenant=a/b', 'tenant: holds no slash'],
      ['query=a%00b', 'query: holds no control characters'],
      ['tenant=a%00b', 'tenant: holds no control characters'],
      [`tenant=${'%C3%BC'.repeat(501)}`, 'tenant: must be at most 1000 bytes'],
      ['state=stalld', 'state: must be one of', 'filling', 'sending'],
      ['kind=delivery&state=filling', 'state: must be one of', 'dead'],
      ['state=a%0Ab', 'state: must be one of'],
      ['after=zzz', 'after: must be the'],
      ['after=server/a', 'after: must be the'],
      ['after=secret/service/cookies', 'after: must be the'],
      ['kind=server&after=tenant/a/tenant', 'after: must be the'],
      ['tenant=a&after=server/b/x', 'after: must be the'],
      ['after=server/a/%7F', 'after: holds no control characters'],
      [`after=server/a/${'x'.repeat(1_000)}`, 'after: must be at most 1000 bytes'],
    ] as const) {
      expectRefusal(await api.call('GET', `/operator/actors?${query}`), 400, ...words);
    }
  });

  it('shows one actor with its context, by a key with a slash or %2F', async () => {
    const tenant = await tenantId();
    const path = `/operator/actors/server/${tenant}/watched`;
    const shown = okBody(await api.call('GET', path)) as unknown as Record<string, unknown>;
    const { context, revision, ...rest } = shown;
    expect(rest).to.deep.equal({
      kind: 'server',
      tenant,
      name: 'watched',
      state: 'filling',
      wakeAt: null,
      outbox: [],
      waiting: [],
      fault: null,
    });
    expect(isFirstOfRange(Number(revision) - 1), 'its second revision').to.equal(true);
    expect(context).to.include.keys('factId', 'windows', 'rules', 'subscriptions');
    expect(context).not.to.include.keys('reply', 'outbox', 'address');
    expect(okBody(await api.call('GET', `/operator/actors/server/${tenant}%2Fwatched`))).to.deep.equal(shown);
    const kinds = (await list()).actors;
    for (const { kind, tenant: of, name, state } of kinds) {
      const one = okBody(await api.call('GET', `/operator/actors/${kind}/${of}/${name}`));
      expect(one).to.deep.include({ kind, tenant: of, name, state });
    }
  });

  it('answers an unknown actor with 404 that explains the key', async () => {
    const tenant = await tenantId();
    for (const key of [
      `server/${tenant}/nope`,
      'server/nobody/watched',
      'server/watched',
      `serve/${tenant}/watched`,
      `server/${tenant}/`,
    ]) {
      expectRefusal(await api.call('GET', `/operator/actors/${key}`), 404);
    }
    expectRefusal(await api.call('GET', '/operator/actors/server/watched'), 404, 'tenant/name', 'server');
    expectRefusal(
      await api.call('GET', `/operator/actors/serve/${tenant}/watched`),
      404,
      'tenant/name',
      'server',
    );
    expectRefusal(await api.call('POST', '/operator/actors', {}), 405);
    expect((await list('kind=server')).actors).to.have.length(7);
  });
});

/** Body of the creation of a generic rule. */
async function ruleOf(api: ApiClient): Promise<object> {
  const { ruleId: _ruleId, ...rule } = okBody(
    await api.call('GET', `/v1.0/demo/rules/${await addGeneric(api)}`),
  );
  return rule;
}
