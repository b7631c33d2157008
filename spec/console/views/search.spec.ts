import { expect } from 'chai';
import type { SearchView } from '../../../src/console/shapes.js';
import { apiClient, type ApiClient, request } from '../../e2e/api-client.js';
import { anyId, building, ENTITIES, receiptIn, sharedLedger } from '../../e2e/ledger/scene.js';
import { addSubscribedRule, arrived, cpu, factsBody, okBody, windowSize } from '../../e2e/policy/actions.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { scenes } from '../../e2e/scene.js';

const PATH = '/console/api/search';
const RULE = {
  name: 'Disk nearly full',
  condition: { cpu: { value: 0, operand: 'greater equal' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

describe('the search of the console', () => {
  const open = scenes();
  let url: string;
  let demo: ApiClient;
  let other: ApiClient;

  beforeEach(async () => {
    const service = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    ({ url, api: demo } = service);
    other = await apiClient(url, 'other', 'olga', 'pass');
    await windowSize(demo, 1);
    for (const name of ['web-1', 'web-10', 'prod-WEB-1']) await cpu(demo, name, 1);
    await other.call('GET', '/v1.0/other');
    okBody(await other.call('POST', '/other/servers/web-1', factsBody({ cpuLoadPct: 50 })));
  });

  const asOperator = async (text: string): Promise<SearchView> =>
    okBody(await request(`${url}${PATH}?query=${encodeURIComponent(text)}`, 'GET')) as never;
  const asTenant = async (api: ApiClient, text: string): Promise<SearchView> =>
    okBody(await api.call('GET', `${PATH}?query=${encodeURIComponent(text)}`)) as never;
  const servers = ({ results }: SearchView): string[] =>
    results.flatMap((result) => (result.kind === 'server' ? [result.serverId] : []));

  it('finds servers: first those whose id begins with the text, then others with it', async () => {
    expect(servers(await asTenant(demo, 'web-1'))).to.deep.equal(['web-1', 'web-10', 'prod-WEB-1']);
    expect(servers(await asTenant(demo, 'WEB'))[0]).to.equal('prod-WEB-1');
    const found = await asOperator('web-1');
    expect(servers(found).toSorted()).to.deep.equal(['prod-WEB-1', 'web-1', 'web-1', 'web-10']);
    expect(found.complete).to.equal(true);
    expect(found.results.find(({ kind }) => kind === 'server')).to.include({ state: 'unwatched' });
  });

  it('shows a tenant what is its own alone', async () => {
    expect(servers(await asTenant(other, 'web-1'))).to.deep.equal(['web-1']);
    expect((await asTenant(other, 'prod')).results).to.deep.equal([]);
    expect((await asTenant(other, 'demo')).results).to.deep.equal([]);
    const { ruleId } = okBody(await demo.call('POST', '/v1.0/demo/rules', RULE)) as unknown as {
      ruleId: string;
    };
    for (const text of ['disk', ruleId]) expect((await asTenant(other, text)).results).to.deep.equal([]);
    expectRefusal(await request(`${url}${PATH}?query=a&tenant=b`, 'GET'), 400, 'tenant');
  });

  it('finds tenants by name for an operator, and rules by id and a part of the name', async () => {
    const found = await asOperator('oth');
    expect(found.results).to.have.length(1);
    expect(found.results[0]).to.include({ kind: 'tenant', name: 'other' });
    const generic = okBody(await demo.call('POST', '/v1.0/demo/rules', RULE)) as { ruleId?: string };
    const own = okBody(await demo.call('POST', '/v1.0/demo/servers/web-1/rules', RULE)) as {
      ruleId?: string;
    };
    const rules = ({ results }: SearchView) =>
      results.flatMap((one) => (one.kind === 'rule' ? [[one.ruleId, one.name, one.serverId]] : []));
    const both = [
      [generic.ruleId, RULE.name, null],
      [own.ruleId, RULE.name, 'web-1'],
    ];
    expect(rules(await asTenant(demo, 'nearly'))).to.deep.equal(both);
    expect(rules(await asOperator('DISK'))).to.deep.equal(both);
    expect(rules(await asOperator(own.ruleId!))).to.deep.equal([both[1]]);
  });

  it('says that there may be more rules than it shows', async () => {
    const many = { ...RULE, name: 'same on many' };
    for (let i = 1; i <= 6; i += 1)
      okBody(await demo.call('POST', `/v1.0/demo/servers/many-${i}/rules`, many));
    const six = await asTenant(demo, 'same on');
    expect([six.results.length, six.complete]).to.deep.equal([6, true]);
    okBody(await demo.call('POST', '/v1.0/demo/servers/many-7/rules', many));
    const seven = await asTenant(demo, 'same on');
    expect([seven.results.length, seven.complete]).to.deep.equal([6, false]);
    okBody(await demo.call('POST', '/v1.0/demo/rules', many));
    expect((await asTenant(demo, 'same on')).complete).to.equal(false);
  });

  it('finds a message by its id, of the own tenant alone', async () => {
    const receiver = await open.receiver();
    await addSubscribedRule(demo, 'web-1', receiver.origin);
    await cpu(demo, 'web-1', 95);
    const [message] = await arrived(receiver, 1);
    const id = String(message!.headers['webhook-id']);
    for (const { results } of [await asTenant(demo, id), await asOperator(id)]) {
      expect(results).to.have.length(1);
      expect(results[0]).to.include({ kind: 'message', id, serverId: 'web-1' });
    }
    expect((await asTenant(other, id)).results).to.deep.equal([]);
  });

  it('has nothing for an empty text, and refuses control characters', async () => {
    expect(await asOperator(' ')).to.deep.equal({ query: '', results: [], complete: true });
    expectRefusal(await request(`${url}${PATH}?query=a%00`, 'GET'), 400, 'query');
  });
});

describe('the search of the console in the ledger', () => {
  const ledger = sharedLedger({
    LEDGER_AUTH: 'token',
    OPERATOR_TOKEN: 'an-operator-token-of-32-characters',
    IDENTITY_USERS: 'acme:ann:secret-1,umbrella:bob:secret-2',
  });

  it('finds entities and transactions, of the own tenant alone', async () => {
    const headersOf = async (tenant: string, user: string, password: string) => ({
      'X-Auth-Token': (await apiClient(ledger().url, tenant, user, password)).token,
    });
    const ann = await headersOf('acme', 'ann', 'secret-1');
    const bob = await headersOf('umbrella', 'bob', 'secret-2');
    const id = anyId();
    const { transactionHash } = receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id), ann));
    const found = async (text: string, headers: Readonly<Record<string, string>>) => {
      const path = `GET ${PATH}?query=${encodeURIComponent(text)}`;
      return (okBody(await ledger().ask(path, undefined, headers)) as unknown as SearchView).results;
    };
    const operator = { Authorization: 'Bearer an-operator-token-of-32-characters' };
    for (const headers of [ann, operator]) {
      for (const text of [id, id.slice(-12)])
        expect(await found(text, headers)).to.deep.equal([{ kind: 'entity', entityId: id }]);
      expect(await found(transactionHash.toUpperCase().replace('0X', '0x'), headers)).to.deep.equal([
        { kind: 'transaction', transactionHash, operation: 'create', state: 'recorded' },
      ]);
    }
    for (const text of [id, transactionHash]) expect(await found(text, bob)).to.deep.equal([]);
  });
});
