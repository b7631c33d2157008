import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ngsiv2StandIn } from '../broker/stand-ins/ngsiv2.js';
import { apiClient, request } from './api-client.js';
import { arrived, factsBody, okBody } from './policy/actions.js';
import { deliveries, delivery } from './policy/deliveries.js';
import { scenes } from './scene.js';

const SECRETS = {
  password: 'pass-a1b2c3',
  wrongPassword: 'wrong-d4e5f6',
  factsKey: 'facts-g7h8i9',
  wrongKey: 'wrong-j1k2l3',
  operatorToken: 'operator-m4n5o6',
  webhookSecret: 'webhook-p7q8r9',
  smtpPassword: 'smtp-s1t2u3',
  foreignToken: 'foreign-y7z8a9',
};

describe('a secret', () => {
  const open = scenes();

  it('is not quoted by a start that refuses the setting', async () => {
    for (const [settings, word] of [
      [{ BROKER_URL: `http://orion:${SECRETS.password}@127.0.0.1:9` }, 'BROKER_URL'],
      [{ OPERATOR_TOKEN: `${SECRETS.password} ä` }, 'OPERATOR_TOKEN'],
      [{ IDENTITY_USERS: `demo:demo:${SECRETS.password}:more,x` }, 'IDENTITY_USERS'],
      [{ SMTP_URL: `ftp://a:${SECRETS.password}@127.0.0.1` }, 'SMTP_URL'],
    ] as const) {
      const failed = await open.service(settings).then(
        () => 'it started',
        (error: unknown) => (error instanceof Error ? error.message : 'no error'),
      );
      expect(failed).to.include(word).and.not.to.include(SECRETS.password);
    }
  });

  it('appears neither in the log nor in the view of operators nor in the data folder', async () => {
    const broker = open.keep(await ngsiv2StandIn(), (one) => one.close());
    const receiver = await open.receiver((response) => response.writeHead(500).end('not now'));
    const DATA_DIR = await open.folder();
    const settings = {
      DATA_DIR,
      LOG_LEVEL: 'trace',
      IDENTITY_USERS: `demo:demo:demo,acme:ann:${SECRETS.password}`,
      FACTS_AUTH: 'key',
      FACTS_KEY: SECRETS.factsKey,
      OPERATOR_TOKEN: SECRETS.operatorToken,
      WEBHOOK_SECRET: SECRETS.webhookSecret,
      SMTP_URL: `smtp://mailer:${SECRETS.smtpPassword}@127.0.0.1:9`,
      BROKER_URL: broker.url,
      BROKER_API: 'ngsiv2',
    };
    const service = await open.service(settings);
    const { url, api: demo, logged } = service;
    const ann = await apiClient(url, 'acme', 'ann', SECRETS.password);
    await request(`${url}/identity/v2.0/tokens`, 'POST', {
      auth: { tenantName: 'acme', passwordCredentials: { username: 'ann', password: SECRETS.wrongPassword } },
    });
    const home = '/v1.0/acme/servers/web-1';
    const rule = {
      name: 'mail',
      condition: { cpu: { value: 0, operand: 'greater equal' } },
      action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Look' },
    };
    okBody(await ann.call('PUT', '/v1.0/acme', { windowsize: 1 }));
    const { ruleId } = okBody(await ann.call('POST', `${home}/rules`, rule));
    okBody(await ann.call('POST', `${home}/subscription`, { ruleId, url: receiver.origin }));
    broker.failWith({ how: 'answer', status: 500, body: `no, ${SECRETS.factsKey}` });
    const failed = await ann.call('POST', `${home}/subscription`, { ruleId, url: `${receiver.origin}/2` });
    expect(failed.status).to.equal(503);
    for (const key of [SECRETS.factsKey, SECRETS.wrongKey]) {
      await request(url + home, 'POST', factsBody({ cpuLoadPct: '1' }), { 'x-facts-key': key });
    }
    await arrived(receiver, 1);
    await ann.call('GET', `/v1.0/acme?token=${SECRETS.foreignToken}`, undefined, {
      'x-auth-token': SECRETS.foreignToken,
    });
    okBody(await ann.call('GET', `/v1.0/acme?token=${SECRETS.foreignToken}`));
    await demo.call('GET', '/v1.0/acme');
    const operator = { 'x-operator-token': SECRETS.operatorToken };
    const asked = {
      ...ann,
      call: (method: string, path: string) => request(url + path, method, undefined, operator),
    };
    await delivery(asked, ({ channel, attempts }) => channel === 'email' && attempts.length > 0);
    await request(`${url}/operator/actors`, 'GET', undefined, { authorization: 'Bearer wrong' });

    const shown = [failed.text, JSON.stringify(await deliveries(asked))];
    const list = okBody(await asked.call('GET', '/operator/actors'))['actors'] as unknown as {
      kind: string;
      tenant: string;
      name: string;
    }[];
    expect(list.length).to.be.greaterThan(4);
    for (const { kind, tenant, name } of list) {
      shown.push((await asked.call('GET', `/operator/actors/${kind}/${tenant}/${name}`)).text);
    }
    shown.push((await asked.call('GET', '/metrics')).text);
    await service.close();

    const log = logged.join('');
    expect(log).to.include('"status":503').and.to.include(home);
    const files = await readdir(DATA_DIR);
    const data = Buffer.concat(
      await Promise.all(files.map((file) => readFile(join(DATA_DIR, file)))),
    ).toString('latin1');
    expect(data).to.include(String(ruleId));
    for (const [name, secret] of Object.entries({ ...SECRETS, token: ann.token, demoToken: demo.token })) {
      expect(log, `${name} in the log`).not.to.include(secret);
      expect(shown.join('\n'), `${name} in what operators see`).not.to.include(secret);
      expect(data, `${name} in the data folder`).not.to.include(secret);
      const signature = secret.split('.').at(-1)!;
      expect(log, `the end of ${name} in the log`).not.to.include(signature);
    }
  });
});
