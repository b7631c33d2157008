import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import type { Got, Receiver } from '../../delivery/senders/receiver.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { accepts, reservedPort } from '../../servers/ports.js';
import { ALWAYS, arrived, factsBody, okBody } from './actions.js';
import { apiClient, type ApiClient, request } from '../api-client.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';

const IDENTITY_USERS = 'demo:demo:demo,acme:ann:pass';
const DAY = 24 * 60 * 60 * 1000;

interface Shown {
  readonly secret: string;
  readonly previous?: { readonly secret: string; readonly until: string };
}

const secretOf = async (api: ApiClient, tenant: string, method = 'GET'): Promise<Shown> =>
  okBody(await api.call(method, `/v1.0/${tenant}/webhook-secret`)) as unknown as Shown;

/** Makes every measurement of a tenant's server fire to the receiver. */
async function watched(api: ApiClient, tenant: string, receiver: Receiver): Promise<void> {
  okBody(await api.call('PUT', `/v1.0/${tenant}`, { windowsize: 1 }));
  const server = `/v1.0/${tenant}/servers/web-1`;
  const { ruleId } = okBody(await api.call('POST', `${server}/rules`, ALWAYS));
  okBody(await api.call('POST', `${server}/subscription`, { ruleId, url: `${receiver.origin}/${tenant}` }));
}

/** Sends a measurement. Resolves with its webhook. */
async function fired(api: ApiClient, tenant: string, receiver: Receiver): Promise<Got> {
  const before = receiver.got.length;
  okBody(await api.call('POST', `/${tenant}/servers/web-1`, factsBody({ cpuLoadPct: '1' })));
  return (await arrived(receiver, before + 1))[before]!;
}

/** Verifies a webhook as a receiver with one secret does (Standard Webhooks). */
function verifies(secret: string, { body, headers }: Got): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

describe("a tenant's webhook secret", () => {
  const open = scenes();

  for (const [what, settings] of [
    ['without WEBHOOK_SECRET', {}],
    ['with WEBHOOK_SECRET', { WEBHOOK_SECRET: 'a secret of the spec' }],
  ] as const) {
    it(`verifies the webhooks of the tenant and of no other, ${what}`, async () => {
      const { api: demo, url } = await open.service({ IDENTITY_USERS, ...settings });
      const ann = await apiClient(url, 'acme', 'ann', 'pass');
      const receiver = await open.receiver();
      await watched(demo, 'demo', receiver);
      await watched(ann, 'acme', receiver);
      const [ours, theirs] = [await secretOf(demo, 'demo'), await secretOf(ann, 'acme')];
      for (const { secret } of [ours, theirs]) expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(ours).to.have.all.keys('secret');
      const [got, other] = [await fired(demo, 'demo', receiver), await fired(ann, 'acme', receiver)];
      expect([verifies(ours.secret, got), verifies(theirs.secret, got)]).to.deep.equal([true, false]);
      expect([verifies(ours.secret, other), verifies(theirs.secret, other)]).to.deep.equal([false, true]);
      // The secret of the service, which no tenant may know, does not verify it either.
      const own = `whsec_${Buffer.from('a secret of the spec').toString('base64')}`;
      expect(verifies(own, got)).to.equal(false);
    });
  }

  it('is replaced by POST and signs for 24 more hours, after the new one in the header', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    await watched(api, 'demo', receiver);
    const first = await secretOf(api, 'demo');
    const from = Date.now();
    const second = await secretOf(api, 'demo', 'POST');
    expect(second.secret).not.to.equal(first.secret);
    expect(second.previous!.secret).to.equal(first.secret);
    expect(second.previous!.until).to.equal(new Date(second.previous!.until).toISOString());
    expect(Date.parse(second.previous!.until)).to.be.within(from + DAY, Date.now() + DAY);
    expect(await secretOf(api, 'demo')).to.deep.equal(second);
    const got = await fired(api, 'demo', receiver);
    expect([verifies(first.secret, got), verifies(second.secret, got)]).to.deep.equal([true, true]);
    const [newest = ''] = String(got.headers['webhook-signature']).split(' ');
    const alone = { ...got, headers: { ...got.headers, 'webhook-signature': newest } };
    expect([verifies(first.secret, alone), verifies(second.secret, alone)]).to.deep.equal([false, true]);
  });

  it('still signs for its 24 hours after a second replacement', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    await watched(api, 'demo', receiver);
    const first = await secretOf(api, 'demo');
    const second = await secretOf(api, 'demo', 'POST');
    const third = await secretOf(api, 'demo', 'POST');
    expect(third.previous!.secret).to.equal(second.secret);
    const got = await fired(api, 'demo', receiver);
    for (const { secret } of [first, second, third]) expect(verifies(secret, got)).to.equal(true);
  });

  it('is the same after a restart; a waiting message is signed with the secrets of its next attempt', async () => {
    const settings = { DATA_DIR: await open.folder() };
    const before = await open.service(settings);
    const down = await open.receiver((response) => response.writeHead(503).end());
    await watched(before.api, 'demo', down);
    const refused = await fired(before.api, 'demo', down);
    const first = await secretOf(before.api, 'demo');
    const second = await secretOf(before.api, 'demo', 'POST');
    await before.close();
    await down.stop();
    const up = await open.receiver(undefined, down.port);
    const { api } = await open.service(settings);
    expect(await secretOf(api, 'demo')).to.deep.equal(second);
    const [got] = (await arrived(up, 1)) as [Got];
    expect([verifies(first.secret, refused), verifies(second.secret, refused)]).to.deep.equal([true, false]);
    expect([verifies(first.secret, got), verifies(second.secret, got)]).to.deep.equal([true, true]);
    expect(got.headers['webhook-id']).to.equal(refused.headers['webhook-id']);
  });

  it('differs with another WEBHOOK_SECRET', async () => {
    const one = await secretOf((await open.service({ WEBHOOK_SECRET: 'one' })).api, 'demo');
    const other = await secretOf((await open.service({ WEBHOOK_SECRET: 'other' })).api, 'demo');
    expect(one.secret).not.to.equal(other.secret);
  });

  it('is shown to the tenant only and not cached', async () => {
    const { api, url } = await open.service({ IDENTITY_USERS });
    const path = '/v1.0/demo/webhook-secret';
    const ann = await apiClient(url, 'acme', 'ann', 'pass');
    for (const method of ['GET', 'POST', 'HEAD']) {
      const answer = await api.call(method, path);
      expect([answer.status, answer.headers.get('cache-control')]).to.deep.equal([200, 'no-store']);
      expect((await request(url + path, method)).status).to.equal(401);
      expect((await ann.call(method, path)).status).to.equal(403);
    }
    expectRefusal(await api.call('GET', path, undefined, { accept: 'text/html' }), 406, 'Accept');
    expect(okBody(await api.call('GET', `${path}.json`))).to.have.property('secret');
    const options = await request(url + path, 'OPTIONS');
    expect([options.status, options.headers.get('allow')]).to.deep.equal([204, 'GET, HEAD, OPTIONS, POST']);
    expect((await api.call('DELETE', path)).status).to.equal(405);
  });

  it('appears neither in the log nor in the view of operators nor in answers to others', async () => {
    const service = await open.service({ LOG_LEVEL: 'trace' });
    const { api, logged } = service;
    const receiver = await open.receiver();
    await watched(api, 'demo', receiver);
    const { secret } = await secretOf(api, 'demo');
    await fired(api, 'demo', receiver);
    const { secret: next } = await secretOf(api, 'demo', 'POST');
    const shown = await Promise.all(
      ['/operator/actors', '/operator/deliveries', '/metrics', '/v1.0/demo'].map((path) =>
        api.call('GET', path),
      ),
    );
    const all = [...logged, ...shown.map(({ text }) => text)].join('\n');
    for (const one of [secret, next]) expect(all).not.to.include(one.replace('whsec_', ''));
  });

  it('verifies in the receiver of the document', async () => {
    const { api } = await open.service();
    const page = okBody(await api.call('GET', '/v1.0/demo'))['doc'] as unknown as string;
    const [, code = ''] = /```js\n(.*?)```/s.exec(await (await fetch(page)).text())!;
    const { secret } = await secretOf(api, 'demo');
    const folder = await open.folder();
    await writeFile(join(folder, 'receiver.mjs'), code);
    const port = await reservedPort();
    const env = { ...process.env, SECRET: secret, PORT: String(port) };
    const child = open.keep(spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env }), async (one) => {
      one.kill();
      if (one.exitCode === null && one.signalCode === null) await once(one, 'exit');
    });
    const isUp = async (): Promise<true | undefined> => {
      if (child.exitCode !== null) throw new Error('the receiver ended');
      return (await accepts(port)) || undefined;
    };
    await eventually(isUp, SOON_MS, () => 'the receiver does not listen');
    const receiver = { got: [], origin: `http://127.0.0.1:${port}` } as unknown as Receiver;
    await watched(api, 'demo', receiver);
    okBody(await api.call('POST', '/demo/servers/web-1', factsBody({ cpuLoadPct: '1' })));
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(String(line)).to.match(/^genuine \{"action":"scaleUp"/);
    expect((await fetch(receiver.origin, { method: 'POST', body: '{}' })).status).to.equal(401);
  });

  it('can be replaced nine times a day, because each signing secret makes the header longer', async () => {
    const { api } = await open.service();
    for (let made = 0; made < 9; made += 1) await secretOf(api, 'demo', 'POST');
    const last = await secretOf(api, 'demo');
    const refused = await api.call('POST', '/v1.0/demo/webhook-secret');
    expectRefusal(refused, 409, '10 secrets sign already', 'after 20');
    expect(await secretOf(api, 'demo')).to.deep.equal(last);
  });
});
