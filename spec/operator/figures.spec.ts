import { expect } from 'chai';
import {
  addRule,
  arrived,
  cpu,
  subscribe,
  okBody,
  addSubscribedRule,
  windowSize,
} from '../e2e/policy/actions.js';
import { expectRefusal } from '../e2e/refusal.js';
import { request } from '../e2e/api-client.js';
import { delivery } from '../e2e/policy/deliveries.js';
import { scenes } from '../e2e/scene.js';
import { scrape } from './scrape.js';

describe('/health, /version and the documents', () => {
  const open = scenes();

  it('need no token', async () => {
    const { url } = await open.service();
    expect(okBody(await request(`${url}/health`, 'GET'))).to.deep.equal({ status: 'ok' });
    expect(okBody(await request(`${url}/version`, 'GET'))).to.deep.equal({
      name: 'mirzam',
      version: '0.0.0-spec',
    });
    const doc = await request(`${url}/docs/policy-api`, 'GET');
    expect(doc.status).to.equal(200);
    expect(doc.headers.get('content-type')).to.match(/^text\/plain; charset=utf-8/);
    for (let n = 1; n <= 17; n += 1) expect(doc.text).to.match(new RegExp(`^\\| +${n} \\|`, 'm'));
    expectRefusal(await request(`${url}/health`, 'POST'), 405);
    expectRefusal(await request(`${url}/docs/nothing`, 'GET'), 404);
  });
});

describe('/metrics', () => {
  const COUNT = 'mirzam_http_request_seconds_count';
  const open = scenes();

  it('counts requests, attempts and actors, in the text format of Prometheus', async () => {
    const { url, api } = await open.service();
    const before = await scrape(url);
    expect(before.sum('mirzam_actors_resident')).to.equal(0);
    expect(before.text).to.include('# TYPE process_cpu_seconds_total counter');
    const answer = await request(`${url}/metrics`, 'GET');
    expect(answer.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);

    const receiver = await open.receiver((response, got) =>
      response.writeHead(got.url === '/bad' ? 410 : 200).end(),
    );
    await windowSize(api, 1);
    const { ruleId } = await addSubscribedRule(api, 'web-1', `${receiver.origin}/good`);
    await subscribe(api, 'web-1', ruleId, `${receiver.origin}/bad`);
    await subscribe(api, 'web-1', await addRule(api, 'web-1'), `${receiver.origin}/good`);
    await cpu(api, 'web-1', 1);
    await arrived(receiver, 3);
    await delivery(api, ({ state }) => state === 'dead');
    await api.call('GET', '/nowhere');

    const after = await scrape(url);
    const attempts = (result: string): number | undefined =>
      after.sum('mirzam_delivery_attempts_total', { channel: 'webhook', result });
    expect([attempts('refused'), attempts('delivered')]).to.deep.equal([1, 2]);
    expect(after.sum(COUNT, { method: 'POST', status: '200' })).to.equal(7);
    expect(after.sum(COUNT, { method: 'PUT', status: '200' })).to.equal(1);
    expect(after.sum(COUNT, { method: 'GET', status: '404' })).to.equal(1);
    expect(after.sum('mirzam_actors_resident')).to.be.at.least(6);
    for (const name of ['mirzam_commits_pending', 'mirzam_effects_running']) {
      expect(after.sum(name), name).to.be.at.least(0);
    }
  });

  it('counts requests by the pattern of their route: no path of a client becomes a label', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 5);
    for (const server of ['web-1', 'web-2']) await cpu(api, server, 1);
    await api.call('POST', '/v1.0/demo/servers/web-1', {});
    for (const path of ['/secret-1', '/secret-2/x', '/v1.0/secret-3/nothing'])
      await request(`${url}${path}`, 'GET');
    await request(`${url}/v1.0`, 'PROPFIND');
    const after = await scrape(url);
    const ofRoute = (route: string): number | undefined => after.sum(COUNT, { method: 'POST', route });
    expect(ofRoute('/:tenantId/servers/:serverId')).to.equal(2);
    expect(ofRoute('/v1.0/:tenantId/servers/:serverId')).to.equal(1);
    expect(after.sum(COUNT, { route: 'none', status: '404' })).to.equal(4);
    expect(after.sum(COUNT, { method: 'other' })).to.equal(1);
    expect(after.text).not.to.match(/secret|web-1|PROPFIND/);
  });

  it('is separate for each service', async () => {
    const [one, other] = [await open.service(), await open.service()];
    await one.api.call('GET', '/v1.0/demo');
    expect((await scrape(other.url)).sum('mirzam_actors_resident')).to.equal(0);
  });
});

describe('/operator/inbox', () => {
  const open = scenes();

  it('does not exist if mails go to SMTP_URL', async () => {
    const { url } = await open.service({ SMTP_URL: 'smtp://127.0.0.1:9' });
    expectRefusal(await request(`${url}/operator/inbox`, 'GET'), 404, 'SMTP_URL');
  });

  it('lists the mails, newest first', async () => {
    const { url, api } = await open.service({ MAIL_INTERVAL_S: '0' });
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const rule = (body: string) => ({
      name: 'über <b>',
      condition: { cpu: { value: 0, operand: 'greater equal' } },
      action: { actionName: 'notify-email', email: 'ops@example.org', body },
    });
    await addSubscribedRule(api, 'web-1', receiver.origin, rule('first'));
    await addSubscribedRule(api, 'web-2', receiver.origin, rule('second'));
    for (const server of ['web-1', 'web-2']) {
      await cpu(api, server, 1);
      await delivery(
        api,
        (one) => one.server === server && one.channel === 'email' && one.state === 'delivered',
      );
    }
    const inbox = okBody(await request(`${url}/operator/inbox`, 'GET')) as unknown as Record<
      string,
      string
    >[];
    expect(inbox.map(({ subject }) => subject)).to.deep.equal(['über <b> on web-2', 'über <b> on web-1']);
    const [mail] = inbox as [Record<string, string>];
    expect(Object.keys(mail)).to.have.members([
      'id',
      'from',
      'to',
      'subject',
      'text',
      'html',
      'headers',
      'receivedAt',
    ]);
    expect(mail['text']).to.match(/^über <b> fires on web-2\.\n\nsecond\n/);
    expect(mail['html']).to.include('über &lt;b&gt;');
    expect(Math.abs(Date.now() - Date.parse(mail['receivedAt']!))).to.be.below(60_000);
  });
});
