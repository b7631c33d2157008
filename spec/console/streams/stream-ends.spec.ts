import { expect } from 'chai';
import { SESSION_S } from '../../../src/console/sessions.js';
import { addSubscribedRule, cpu, windowSize } from '../../e2e/policy/actions.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { scenes } from '../../e2e/scene.js';
import { type EventClient, openEvents } from '../../operator/event-client.js';
import { browserClient, DEMO, logIn } from '../browser-client.js';

const OPERATOR_TOKEN = 'let-the-operators-in';
const OPERATOR = { operatorToken: OPERATOR_TOKEN };
const SESSION = '/console/api/session';
const PATHS = ['/console/api/events', '/operator/events'];

describe('an event stream that was opened with the cookie of the console', function () {
  const open = scenes();

  const events = async (url: string, headers: Record<string, string>): Promise<EventClient> => {
    const client = open.keep(await openEvents(url, headers), (one) => one.close());
    await client.next(({ type }) => type === 'hello');
    return client;
  };

  it('ends at the moment at which the session does', async () => {
    const began = Date.now();
    let now = began;
    const { url } = await open.service({ OPERATOR_TOKEN }, () => now);
    const { cookie } = await browserClient(url, OPERATOR);
    // A second remains, because a cookie ends with a whole second. The clock stands until the streams are open.
    now = began + (SESSION_S - 2) * 1000;
    const streams = await Promise.all(PATHS.map((path) => events(url + path, { cookie })));
    now = began + SESSION_S * 1000;
    for (const { ended } of streams) await ended;
    const after = await fetch(url + PATHS[0]!, { headers: { cookie } });
    expect(after.status).to.equal(401);
  });

  it('ends with a log out, and no stream of another session or of a token does', async () => {
    const { url, api } = await open.service({ OPERATOR_TOKEN });
    const receiver = await open.receiver();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    const [leaving, staying] = [await browserClient(url, OPERATOR), await browserClient(url, OPERATOR)];
    const tenant = await browserClient(url, DEMO);
    const ending = await Promise.all(PATHS.map((path) => events(url + path, { cookie: leaving.cookie })));
    const others = [
      await events(`${url}/console/api/events`, { cookie: staying.cookie }),
      await events(`${url}/operator/events`, { cookie: staying.cookie }),
      await events(`${url}/console/api/events`, { cookie: tenant.cookie }),
      await events(`${url}/console/api/events`, { 'x-auth-token': api.token }),
      await events(`${url}/operator/events`, { 'x-operator-token': OPERATOR_TOKEN, cookie: leaving.cookie }),
    ];
    expectRefusal(await leaving.call('DELETE', SESSION, undefined, { 'x-csrf-token': 'wrong' }), 403);
    await cpu(api, 'web-1', 90);
    for (const stream of [...ending, ...others]) await stream.next(({ type }) => type === 'firing');

    expect((await leaving.call('DELETE', SESSION)).status).to.equal(200);
    for (const { ended } of ending) await ended;
    await cpu(api, 'web-1', 91);
    for (const stream of others) await stream.next(({ type }) => type === 'firing');
  });

  it('ends when another login takes the place of its session', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN });
    const { cookie } = await browserClient(url, OPERATOR);
    const streams = await Promise.all(PATHS.map((path) => events(url + path, { cookie })));
    expect((await logIn(url, { operatorToken: 'wrong' }, { cookie })).status).to.equal(401);
    expect((await logIn(url, DEMO, { cookie })).status).to.equal(200);
    for (const { ended } of streams) await ended;
  });
});
