import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { apiClient } from '../e2e/api-client.js';
import { cpu, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { launcher } from '../faults/stage/service-process.js';
import { mongoOfSuite } from '../servers/mongodb.js';
import { AUTHORITY, SIGNED } from './certificates.js';
import { startTlsRelay } from './tls-relay.js';

describe('MongoDB with a certificate of a private authority', () => {
  const open = scenes();
  const mongo = mongoOfSuite();

  it('is reached with NODE_EXTRA_CA_CERTS, and not without', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mirzam-authority-'));
    open.keep(folder, () => rm(folder, { recursive: true }));
    const NODE_EXTRA_CA_CERTS = join(folder, 'authority.pem');
    await writeFile(NODE_EXTRA_CA_CERTS, AUTHORITY);
    const plain = new URL(mongo.database());
    const relay = open.keep(await startTlsRelay(SIGNED, Number(plain.port)), (one) => one.close());
    plain.host = `127.0.0.1:${relay.port}`;
    plain.searchParams.set('tls', 'true');
    const services = await launcher({ MONGODB_URL: plain.href });
    open.keep(services, () => services.close());

    const refused = services.launch();
    expect((await refused.exited).code).to.equal(2);
    expect(refused.output())
      .to.include('unable to verify the first certificate')
      .and.include('NODE_EXTRA_CA_CERTS');
    const { url } = await services.start({ NODE_EXTRA_CA_CERTS });
    const api = await apiClient(url);
    await windowSize(api, 1);
    expect(await cpu(api, 'web-1', 1)).to.equal(1);
  });
});
