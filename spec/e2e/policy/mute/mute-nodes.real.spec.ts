import { expect } from 'chai';
import { embeddedTenantId } from '../../../../src/identity/embedded.js';
import { createMuteLinks } from '../../../../src/policy/mute/mute-links.js';
import { durableSecret } from '../../../../src/store/durable-texts.js';
import { openStore } from '../../../../src/store/select.js';
import { launcher, type Launcher } from '../../../faults/stage/service-process.js';
import { pageIn, post } from '../../../policy/http/mute/link-scene.js';
import { mongoOfSuite } from '../../../servers/mongodb.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { apiClient, type ApiClient } from '../../api-client.js';
import { addSubscribedRule, okBody } from '../actions.js';

describe('a mute on two nodes', () => {
  let services: Launcher;
  let mongodbUrl: string;

  const mongo = mongoOfSuite();
  beforeEach(async () => {
    mongodbUrl = mongo.database();
    services = await launcher({ MONGODB_URL: mongodbUrl });
  });
  afterEach(() => services.close());

  /** Returns the path of a link, signed with the secret that the nodes keep in the store. */
  const linkOf = async (subscriptionId: string): Promise<string> => {
    const store = await openStore({ folder: '', mongodbUrl });
    try {
      const links = createMuteLinks(await durableSecret(store, 'mute'));
      const path = { tenantId: embeddedTenantId('demo'), serverId: 'web-1', subscriptionId };
      return `/mute/${links.sign(path, Date.now())}`;
    } finally {
      await store.close();
    }
  };

  it('is made, shown and ended by either, by API and by link', async () => {
    const nodes = await Promise.all([services.start(), services.start()]);
    const [one, other] = await Promise.all([apiClient(nodes[0].url), apiClient(nodes[1].url)]);
    const { subscriptionId } = await addSubscribedRule(one, 'web-1', 'http://127.0.0.1:9/');
    const path = `/v1.0/demo/servers/web-1/subscription/${subscriptionId}`;
    /** Waits until operation 17 shows it. It may lag behind another node by half a second. */
    const shows = (api: ApiClient, isMuted: boolean): Promise<true> =>
      eventually(
        async () => 'mutedUntil' in okBody(await api.call('GET', path)) === isMuted || undefined,
        SOON_MS,
        () => `the other node does not show ${isMuted ? 'the mute' : 'its end'}`,
      );

    const { mutedUntil } = okBody(await one.call('PUT', `${path}/mute`, { for: 3_600 }));
    await shows(other, true);
    const link = await linkOf(subscriptionId);
    expect(await pageIn(await fetch(nodes[1].url + link))).to.contain(mutedUntil);
    await pageIn(await post(nodes[1].url + link, 'action=unmute'));
    expect(await pageIn(await fetch(nodes[0].url + link))).to.contain('Not muted');
    await shows(one, false);
    await pageIn(await post(nodes[0].url + link, 'for=86400'));
    expect(await pageIn(await fetch(nodes[1].url + link))).to.contain('Muted until');
    await shows(other, true);
    okBody(await other.call('DELETE', `${path}/mute`));
    expect(await pageIn(await fetch(nodes[0].url + link))).to.contain('Not muted');
  });
});
