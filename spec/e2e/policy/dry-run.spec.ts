import { expect } from 'chai';
import { request } from '../api-client.js';
import { expectRefusal } from '../refusal.js';
import { type Scene, scenes } from '../scene.js';
import { addGeneric, addRule, ALWAYS, okBody, subscribe } from './actions.js';
import { type Ids, OPERATIONS, prepared, shownState } from './operation-table.js';

const URL_1 = 'http://127.0.0.1:9/hook';
const QUIET = '/v1.0/demo/quiet/nights';
const NIGHTS = { servers: ['web-*'], duration: 3600, start: '2027-01-01T22:00:00' };
const ID = /^[\da-f]{24}$/;

describe('?dryRun=true', () => {
  let scene: Scene;
  let ids: Ids;
  let shownBefore: string;
  const open = scenes('describe');
  const dry = (method: string, path: string, body?: unknown) =>
    scene.api.call(method, `${path}?dryRun=true`, body);
  const everything = async (): Promise<string> => {
    // The actor of a receiver is made a moment after the subscription.
    const actors = ['server', 'tenant'].map((kind) => `/operator/actors?kind=${kind}`);
    const paths = ['/v1.0/demo/quiet', '/v1.0/demo/subscriptions', ...actors];
    const answers = await Promise.all(paths.map((path) => scene.api.call('GET', path)));
    return [await shownState(scene.api, ids), ...answers.map(({ text }) => text)].join('\n');
  };

  before('one of everything', async () => {
    // The audit changes actors once more, a moment after their changes.
    scene = await open.service({ AUDIT_DAYS: '0' });
    ids = await prepared(scene.api);
    shownBefore = await everything();
  });
  afterEach('nothing changed', async () => {
    expect(await everything()).to.equal(shownBefore);
  });

  it('answers as each operation that takes it would', async () => {
    const answers = new Map<number, object>();
    for (const { number, path, body } of OPERATIONS.filter((one) =>
      [3, 4, 6, 11, 12, 15].includes(one.number),
    ))
      answers.set(number, okBody(await dry(OPERATIONS[number - 1]!.method, path(ids), body?.(ids))));
    expect(answers.get(3)).to.deep.equal({ windowsize: 7 });
    expect(answers.get(4)).to.have.property('ruleId').that.matches(ID);
    expect(answers.get(6)).to.deep.equal(ALWAYS);
    expect(answers.get(11)).to.have.property('serverId', 'web-1');
    expect(answers.get(12)).to.deep.equal(ALWAYS);
    expect(answers.get(15)).to.have.property('subscriptionId').that.matches(ID);
  });

  it('answers a quiet time with its occurrences', async () => {
    const quiet = okBody(await dry('PUT', QUIET, NIGHTS));
    expect(quiet).to.deep.include({ name: 'nights', servers: ['web-*'] });
    expect(quiet['next']).to.have.length(1);
    expectRefusal(await scene.api.call('GET', QUIET), 404);
  });

  it('answers the id of a subscription that exists', async () => {
    const path = '/v1.0/demo/servers/web-1/subscription';
    const same = okBody(await dry('POST', path, { ruleId: ids.ruleId, url: URL_1 }));
    expect(same).to.deep.equal({ subscriptionId: ids.subscriptionId });
  });

  it('makes no server known', async () => {
    okBody(await dry('POST', '/v1.0/demo/servers/web-9/rules', [ALWAYS, ALWAYS]));
    okBody(await dry('POST', '/v1.0/demo/servers/web-9/subscription', { ruleId: ids.genericId, url: URL_1 }));
    expectRefusal(await scene.api.call('GET', '/v1.0/demo/servers/web-9'), 404, 'web-9');
  });

  it('refuses what the operation refuses', async () => {
    const rules = '/v1.0/demo/servers/web-1/rules';
    expectRefusal(await dry('PUT', '/v1.0/demo', { windowsize: 0 }), 400, 'windowsize');
    expectRefusal(await dry('POST', '/v1.0/demo/rules', { ...ALWAYS, name: '' }), 400, 'name');
    expectRefusal(await dry('POST', rules, [ALWAYS, { ...ALWAYS, name: '' }]), 400, '[1].name');
    expectRefusal(await dry('PUT', '/v1.0/demo/rules/unknown', ALWAYS), 404, 'unknown');
    expectRefusal(await dry('PUT', `${rules}/unknown`, ALWAYS), 404, 'unknown');
    const subscription = '/v1.0/demo/servers/web-1/subscription';
    expectRefusal(await dry('POST', subscription, { ruleId: 'unknown', url: URL_1 }), 404, 'unknown');
    expectRefusal(await dry('POST', subscription, { ruleId: ids.ruleId, url: 'ftp://a' }), 400, 'url');
    expectRefusal(await dry('PUT', QUIET, { ...NIGHTS, duration: 1 }), 400, 'duration');
  });

  it('refuses another value, before anything is done', async () => {
    for (const value of ['yes', '1', 'TRUE'])
      expectRefusal(
        await scene.api.call('POST', `/v1.0/demo/rules?dryRun=${value}`, ALWAYS),
        400,
        'dryRun: must be one of true, false',
      );
    expectRefusal(
      await scene.api.call('POST', '/v1.0/demo/rules?dryRun=true&dryRun=false', ALWAYS),
      400,
      'dryRun: must be given once',
    );
    expectRefusal(await scene.api.call('PUT', `${QUIET}?dryRun=yes`, NIGHTS), 400, 'dryRun');
    expectRefusal(await scene.api.call('GET', `${QUIET}?dryRun=true`), 400, 'dryRun');
  });

  it('refuses another spelling, and an operation that has none, before anything is done', async () => {
    const { api } = scene;
    const rule = '/v1.0/demo/servers/web-1/rules';
    for (const spelling of [
      'dryrun=true',
      'dry_run=true',
      'dry-run',
      'DryRun=1',
      'dry+run=true',
      'dryRun%20=true',
      'dryRun[]=true',
    ])
      expectRefusal(await api.call('POST', `${rule}?${spelling}`, ALWAYS), 400, 'allowed: dryRun');
    for (const empty of ['dryRun', 'dryRun='])
      expectRefusal(await api.call('POST', `${rule}?${empty}`, ALWAYS), 400, 'dryRun: must be one of');
    const none = 'dryRun: this operation has no dry run; nothing was done';
    expectRefusal(await api.call('DELETE', `${rule}/${ids.ruleId}?dryRun=true`), 400, none);
    expectRefusal(
      await api.call('DELETE', `${rule}/${ids.ruleId}?dry_run`),
      400,
      'this operation has no dry run',
    );
    expectRefusal(await api.call('DELETE', `/v1.0/demo/rules/${ids.genericId}?dryRun=true`), 400, none);
    const subscription = `/v1.0/demo/servers/web-1/subscription/${ids.subscriptionId}`;
    expectRefusal(await api.call('DELETE', `${subscription}?dryRun=true`), 400, none);
    okBody(await api.call('GET', `${rule}/${ids.ruleId}`));
    okBody(await api.call('GET', `/v1.0/demo/rules/${ids.genericId}`));
    okBody(await api.call('GET', subscription));
  });

  it('is for operators too', async () => {
    const answer = await request(`${scene.url}/v1.0/demo/rules?dryRun=true`, 'POST', ALWAYS, {
      'x-operator-token': 'none',
    });
    expect(okBody(answer)).to.have.property('ruleId').that.matches(ID);
  });
});

describe('?dryRun=true of a change that conflicts with what is there', () => {
  const open = scenes();
  /** A condition of so many metrics beside the document's. */
  const wide = (count: number, first = 0) => ({
    ...ALWAYS,
    condition: Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`m${first + i}`, { value: 1, operand: 'greater' }]),
    ),
  });

  it('is refused: more than 32 windows of a server', async () => {
    const { api } = await open.service({ METRICS: '*' });
    const [own, generic] = [await addRule(api, 'web-1', wide(20)), await addGeneric(api, wide(12, 20))];
    await subscribe(api, 'web-1', own, URL_1);
    await subscribe(api, 'web-1', generic, URL_1);
    const third = await addGeneric(api, wide(1, 32));
    const bind = { ruleId: third, url: URL_1 };
    const path = '/v1.0/demo/servers/web-1';
    for (const query of ['?dryRun=true', '']) {
      const changes = [
        await api.call('POST', `${path}/subscription${query}`, bind),
        await api.call('PUT', `${path}/rules/${own}${query}`, wide(21, 50)),
        await api.call('PUT', `/v1.0/demo/rules/${generic}${query}`, wide(13, 50)),
      ];
      for (const answer of changes) expectRefusal(answer, 409, '33', '32');
    }
  });

  it('is refused: more than 1,000 rules of a server', async () => {
    const { api } = await open.service();
    const path = '/v1.0/demo/servers/web-1/rules';
    okBody(
      await api.call(
        'POST',
        path,
        Array.from({ length: 999 }, () => ALWAYS),
      ),
    );
    okBody(await api.call('POST', `${path}?dryRun=true`, ALWAYS));
    for (const query of ['?dryRun=true', ''])
      expectRefusal(await api.call('POST', `${path}${query}`, [ALWAYS, ALWAYS]), 413, '1000 rules');
  });

  it('is refused: a quiet time of operators', async () => {
    const { api, url } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const operators = `${url}/operator/tenants/demo/quiet/nights`;
    okBody(await request(operators, 'PUT', NIGHTS));
    okBody(await request(`${operators}?dryRun=true`, 'PUT', { ...NIGHTS, duration: 60 }));
    for (const query of ['?dryRun=true', ''])
      expectRefusal(await api.call('PUT', `${QUIET}${query}`, NIGHTS), 403, 'operators');
    expect(okBody(await api.call('GET', QUIET))).to.have.property('duration', 3600);
  });
});
