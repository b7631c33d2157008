import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { runWords } from '../../../command/command-runs.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { request } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { addRule, arrived, cpu, okBody, windowSize } from '../actions.js';
import { subscribed } from './form-actions.js';

const HEADERS = { Authorization: 'Bearer planted' };

describe('forms of messages, exported and imported', () => {
  const open = scenes();

  it('are sent as before, and so are messages that waited, after a restart too', async () => {
    const [old, next] = [await open.folder(), await open.folder()];
    let status = 503;
    const receiver = await open.receiver((response) => response.writeHead(status).end());
    let service = await open.service({ DATA_DIR: old });
    await windowSize(service.api, 1);
    const ruleId = await addRule(service.api, 'web-1');
    const form = { format: 'cloudevents', headers: HEADERS };
    const id = await subscribed(service.api, { ruleId, url: receiver.origin, ...form });
    await cpu(service.api, 'web-1', 1);
    await arrived(receiver, 1);
    const file = join(await open.folder(), 'export.ndjson');
    await writeFile(file, (await request(`${service.url}/operator/export`, 'GET')).text);
    await service.close();
    const imported = await runWords(['import', file], { DATA_DIR: join(next, 'data') });
    expect(imported.code, imported.err).to.equal(0);
    service = await open.service({ DATA_DIR: join(next, 'data') });
    const { api } = service;
    expect(await subscribed(api, { ruleId, url: receiver.origin, ...form })).to.equal(id);
    status = 200;
    const { deliveries } = okBody(await api.call('GET', '/operator/deliveries')) as never as {
      deliveries: readonly { id: string }[];
    };
    const before = receiver.got.length;
    okBody(await api.call('POST', `/operator/deliveries/${deliveries[0]!.id}/resend`));
    await cpu(api, 'web-1', 2);
    const got = await eventually(
      () => (receiver.got.length >= before + 2 ? receiver.got.slice(before) : undefined),
      SOON_MS,
      () => 'the messages did not come',
    );
    for (const { headers } of got)
      expect(headers).to.include({
        authorization: HEADERS.Authorization,
        'content-type': 'application/cloudevents+json',
      });
    const facts = got.map(({ body }) => (JSON.parse(body) as { data: { factId: number } }).data.factId);
    expect(new Set(facts)).to.deep.equal(new Set([1, 2]));
  });
});
