import { once } from 'node:events';
import { expect } from 'chai';
import { wires } from '../http/wire/wire-client.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { arrived, cpu, factsBody, addSubscribedRule, windowSize } from './policy/actions.js';
import { scenes } from './scene.js';

describe('a service that is closed', () => {
  const dial = wires();
  const open = scenes();

  it('finishes a half-received request and accepts no new one', async () => {
    const service = await open.service();
    const { url, api } = service;
    await api.call('GET', '/v1.0/demo');
    const wire = await dial(Number(new URL(url).port));
    const body = JSON.stringify(factsBody({ cpuLoadPct: '1' }));
    wire.write(
      'POST /demo/servers/web-1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
        `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    expect((await wire.response()).status).to.equal(100);
    const closed = service.close();
    await eventually(
      () =>
        fetch(`${url}/health`).then(
          () => undefined,
          () => true,
        ),
      SOON_MS,
      () => 'it still takes connections',
    );
    wire.write(body);
    const { status, body: text } = await wire.response();
    expect([status, text]).to.deep.equal([200, '{"id":1,"title":"1 fact taken"}']);
    await wire.closed();
    await closed;
  });

  it('closes once and frees its port and its data', async () => {
    const DATA_DIR = await open.folder();
    for (let i = 0; i < 3; i += 1) {
      const service = await open.service({ DATA_DIR });
      expect((await service.api.call('GET', '/health')).status).to.equal(200);
      await service.close();
      const refused = await fetch(`${service.url}/health`).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(Error);
    }
  });

  it('refuses to start on a data folder in use, and says so', async () => {
    const DATA_DIR = await open.folder();
    const first = await open.service({ DATA_DIR });
    const second = await open.service({ DATA_DIR }).catch((error: unknown) => error);
    expect(second).to.be.instanceOf(Error);
    expect(String(second)).to.include(DATA_DIR);
    expect((await first.api.call('GET', '/v1.0/demo')).status).to.equal(200);
  });

  it('does not wait for an unanswered webhook', async () => {
    const hanging = await open.receiver(() => undefined);
    const service = await open.service();
    await windowSize(service.api, 1);
    await addSubscribedRule(service.api, 'web-1', hanging.origin);
    await cpu(service.api, 'web-1', 1);
    await arrived(hanging, 1);
    const closing = performance.now();
    await Promise.all([service.close(), once(hanging.got[0]!.socket, 'close')]);
    expect(performance.now() - closing).to.be.below(4_000);
  });
});
