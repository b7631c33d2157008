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

/** Returns the value of a series in a scrape. undefined if it is absent. */
function seriesIn(scrape: string, name: string): number | undefined {
  const line = scrape.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

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
  const open = scenes();

  it('counts requests, attempts and actors, in the text format of Prometheus', async () => {
    const { url, api } = await open.service();
    const scrape = async (): Promise<string> => (await request(`${url}/metrics`, 'GET')).text;
    const requests = (method: string, status: number): string =>
      `mirzam_http_request_seconds_count{method="${method}",status="${status}"}`;

    const before = await scrape();
    expect(seriesIn(before, 'mirzam_actors_resident')).to.equal(0);
    expect(before).to.include('# TYPE process_cpu_seconds_total counter');
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

    const after = await scrape();
    const attempts = (result: string): number | undefined =>
      seriesIn(after, `mirzam_delivery_attempts_total{channel="webhook",result="${result}"}`);
    expect([attempts('refused'), attempts('delivered')]).to.deep.equal([1, 2]);
    expect(seriesIn(after, requests('POST', 200))).to.equal(7);
    expect(seriesIn(after, requests('PUT', 200))).to.equal(1);
    expect(seriesIn(after, requests('GET', 404))).to.equal(1);
    expect(seriesIn(after, 'mirzam_actors_resident')).to.be.at.least(6);
    for (const name of ['mirzam_commits_pending', 'mirzam_effects_running']) {
      expect(seriesIn(after, name), name).to.be.at.least(0);
    }
  });

  it('is separate for each service', async () => {
    const [one, other] = [await open.service(), await open.service()];
    await one.api.call('GET', '/v1.0/demo');
    const { text } = await request(`${other.url}/metrics`, 'GET');
    expect(seriesIn(text, 'mirzam_actors_resident')).to.equal(0);
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
    expect(mail['text']).to.match(/^second\n/);
    expect(mail['html']).to.include('über &lt;b&gt;');
    expect(Math.abs(Date.now() - Date.parse(mail['receivedAt']!))).to.be.below(60_000);
  });
});
