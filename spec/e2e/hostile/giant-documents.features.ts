import { expect } from 'chai';
import { addRule, ALWAYS, factsBody, subscribe, okBody, windowSize } from '../policy/actions.js';
import type { ApiAnswer, ApiClient } from '../api-client.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';

/** The longest text of a rule, in characters of three bytes. */
const LONGEST = '規'.repeat(65_536);
/** Number of such rules in 8 MiB. A rule is slightly larger than its text. */
const FIT = 42;
const NEIGHBOURS = 20;

/** A rule with the longest text that fires at every fact. */
function giantRule(name: string) {
  return { ...ALWAYS, name, action: { actionName: 'notify-email', email: 'ops@example.org', body: LONGEST } };
}

/** Specs of documents that outgrow a store, and of documents committed at the same time. */
export function giantDocumentsFeatures(settings: () => Readonly<Record<string, string>>): void {
  const open = scenes();
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await open.service(settings()));
    okBody(await api.call('GET', '/v1.0/demo'));
  });

  for (const [what, path, room] of [
    [
      'a server',
      '/v1.0/demo/servers/giant/rules',
      'remove rules of this server, or end subscriptions, first',
    ],
    ['a tenant', '/v1.0/demo/rules', 'remove rules of this tenant first'],
  ] as const) {
    it(`rules of ${what} that are too large together are 409; other requests succeed`, async () => {
      let fallen = 0;
      let sent = 0;
      const load = { on: true };
      const neighbour = async (n: number): Promise<void> => {
        let fell = false;
        while (load.on) {
          const { status } = await api.call('POST', `/demo/servers/n${n}`, factsBody({ cpuLoadPct: '1' }));
          sent += 1;
          fell ||= status !== 200;
        }
        if (fell) fallen += 1;
      };
      const neighbours = Array.from({ length: NEIGHBOURS }, (_, n) => neighbour(n));
      const answers: ApiAnswer[] = [];
      let last = '';
      for (let n = 0; n < 90; n += 1) {
        const answer = await api.call('POST', path, giantRule(`rule ${n}`));
        answers.push(answer);
        if (answer.status === 200) last = answer.body['ruleId']!;
      }
      load.on = false;
      await Promise.all(neighbours);
      console.log(`      ${fallen} of ${NEIGHBOURS} neighbours fell, of ${sent} measurements`);
      expect(fallen).to.equal(0);
      for (const answer of answers.slice(FIT)) expectRefusal(answer, 409, room);
      expect(answers.map(({ status }) => status)).to.deep.equal([
        ...Array<number>(FIT).fill(200),
        ...Array<number>(90 - FIT).fill(409),
      ]);
      okBody(await api.call('DELETE', `${path}/${last}`));
      okBody(await api.call('POST', path, giantRule('the last one')));
    });
  }

  it('measurements with too large firings are 413 and change nothing; fewer are accepted', async () => {
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'giant', giantRule('large'));
    await subscribe(api, 'giant', ruleId, 'http://127.0.0.1:9/nowhere');
    const send = (count: number) =>
      api.call(
        'POST',
        '/demo/servers/giant',
        factsBody(...Array.from({ length: count }, () => ({ cpuLoadPct: '1' }))),
      );
    okBody(await send(1));
    for (const count of [100, 900]) expectRefusal(await send(count), 413, 'send fewer');
    expect(okBody(await send(1))['id']).to.equal(2);
  });
}
