import { expect } from 'chai';
import { embeddedTenantId } from '../../../../src/identity/embedded.js';
import { createMuteLinks } from '../../../../src/policy/mute/mute-links.js';
import { durableSecret } from '../../../../src/store/durable-texts.js';
import { openLmdb } from '../../../../src/store/lmdb/lmdb.js';
import { formsIn, pageIn, post } from '../../../policy/http/mute/link-scene.js';
import type { ApiClient } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { addSubscribedRule, okBody } from '../actions.js';

const DAY = 86_400_000;

describe('the link of a mail, of the whole service', () => {
  const open = scenes();

  /** Makes a subscription in a data folder. Returns its id, and the path of a link of it. */
  const prepared = async (folder: string): Promise<{ readonly id: string; readonly path: string }> => {
    const service = await open.service({ DATA_DIR: folder });
    const { subscriptionId: id } = await addSubscribedRule(service.api, 'web-1', 'http://127.0.0.1:9/');
    const tenantId = embeddedTenantId('demo');
    await service.close();
    const store = await openLmdb({ folder });
    try {
      const links = createMuteLinks(await durableSecret(store, 'mute'));
      const subscription = { tenantId, serverId: 'web-1', subscriptionId: id };
      return { id, path: `/mute/${links.sign(subscription, Date.now())}` };
    } finally {
      await store.close();
    }
  };
  const mutedUntil = async (api: ApiClient, id: string): Promise<string | undefined> =>
    okBody(await api.call('GET', `/v1.0/demo/servers/web-1/subscription/${id}`))['mutedUntil'];

  it('works after a restart, without a token, and the API sees what it did', async () => {
    const folder = await open.folder();
    const { id, path } = await prepared(folder);
    const { url, api } = await open.service({ DATA_DIR: folder });
    const forms = formsIn(await pageIn(await fetch(url + path)));
    const before = Date.now();
    await pageIn(await post(url + path, forms['One day']!));
    const until = Date.parse((await mutedUntil(api, id))!);
    expect(until).to.be.within(before + DAY, Date.now() + DAY);
    okBody(await api.call('DELETE', `/v1.0/demo/servers/web-1/subscription/${id}/mute`));
    expect(await pageIn(await fetch(url + path))).to.contain('Not muted');
  });

  it('is a secret that no log line has, at debug', async () => {
    const folder = await open.folder();
    const { path } = await prepared(folder);
    const { url, logged } = await open.service({ DATA_DIR: folder, LOG_LEVEL: 'debug' });
    await pageIn(await fetch(url + path));
    await pageIn(await post(url + path, 'List-Unsubscribe=One-Click'));
    for (const wrong of [`${path}x`, `${path}/x`, path.slice(0, -1)]) {
      const answer = await fetch(url + wrong);
      expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([
        404,
        'text/html; charset=utf-8',
      ]);
    }
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).to.contain('/mute/:signed');
    expect(logged.filter((line) => line.includes('/mute/…'))).to.have.length(5);
    for (const part of path.split('/').at(-1)!.split('.')) {
      expect(logged.join('\n')).not.to.contain(part);
      expect(metrics).not.to.contain(part);
    }
  });

  it('opens from the page of a web mailer, which cannot use it by itself', async () => {
    const folder = await open.folder();
    const { path } = await prepared(folder);
    const { url } = await open.service({ DATA_DIR: folder });
    const answer = await fetch(url + path, { headers: { 'sec-fetch-site': 'cross-site' } });
    await pageIn(answer);
    const changed = await fetch(url + path, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } });
    expect([changed.status, changed.headers.get('content-type')]).to.deep.equal([
      403,
      'text/html; charset=utf-8',
    ]);
  });
});
