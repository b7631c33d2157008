import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { apiClient, request } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { addRule, ALWAYS, arrived, cpu, okBody, windowSize } from '../actions.js';
import { askFor, subscribed } from './form-actions.js';

const [KEY, WORD] = ['planted-k3y"\\<&%', 'planted-w0rd'];
const HEADERS = { Authorization: `Bearer ${KEY}`, 'X-Word': WORD, 'X-Long': `planted-${'l0ng'.repeat(400)}` };
const PLANTED = ['planted', 'k3y', 'w0rd', 'l0ngl0ng'];
const OPERATOR_TOKEN = 'o'.repeat(32);

/** Texts as JSON, percent and base64 may write them. */
function tellsIn(text: string): readonly string[] {
  const written = PLANTED.flatMap((one) => [
    one,
    Buffer.from(one).toString('hex'),
    Buffer.from(one).toString('base64'),
  ]);
  return written.filter((one) => text.includes(one.replace(/=+$/, '')));
}

describe('the values of headers', () => {
  const open = scenes();

  it('are in requests to their receiver, and nowhere else', async () => {
    const DATA_DIR = await open.folder();
    const service = await open.service({
      DATA_DIR,
      LOG_LEVEL: 'trace',
      OPERATOR_TOKEN,
      IDENTITY_USERS: 'demo:demo:demo,other:ann:pass-a1b2c3',
    });
    const { url, api, logged } = service;
    const operator = (path: string, method = 'GET') =>
      request(url + path, method, undefined, { authorization: `Bearer ${OPERATOR_TOKEN}` });
    const ann = await apiClient(url, 'other', 'ann', 'pass-a1b2c3');
    okBody(await ann.call('GET', '/v1.0/other'));
    const texts: string[] = [];
    const told = async (answer: Promise<{ readonly text: string }>) => texts.push((await answer).text);
    const events = await fetch(`${url}/operator/events`, {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    });
    const reader = events.body!.getReader();
    const streamed: string[] = [];
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        streamed.push(Buffer.from(value).toString());
      }
    })();

    // A receiver that quotes the request in its refusals, whole and cut off.
    let status = 400;
    const receiver = await open.receiver((response, { headers }) =>
      response
        .writeHead(status)
        .end(
          `${JSON.stringify(headers['authorization'])} ${String(headers['x-word'])} ${String(headers['x-long'])}`,
        ),
    );
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1', { ...ALWAYS, repeat: 0, resolve: true });
    const template = { contentType: 'application/json', body: '{"a": "{{title}}"}' };
    const forms = [{}, { format: 'cloudevents' }, { format: 'template', template }];
    const ids: string[] = [];
    for (const form of forms) {
      const draft = { ruleId, url: `${receiver.origin}/${ids.length}`, headers: HEADERS, ...form };
      await told(askFor(api, draft, '?dryRun=true'));
      ids.push(await subscribed(api, draft));
      await told(askFor(api, { ...draft, headers: { ...HEADERS, 'X-Word': `${WORD}\n` } }));
      await told(askFor(api, { ...draft, ruleId: 'unknown' }));
      await told(askFor(api, { ...draft, url: 'ftp://a' }));
    }
    await cpu(api, 'web-1', 90);
    const got = await arrived(receiver, forms.length);
    for (const { headers } of got)
      expect(headers).to.include({
        authorization: HEADERS.Authorization,
        'x-word': WORD,
        'x-long': HEADERS['X-Long'],
      });
    const dead = await eventually(
      async () => {
        const { deliveries } = okBody(await operator('/operator/deliveries?state=dead'));
        const list = deliveries as unknown as readonly { id: string }[];
        return list.length === forms.length ? list : undefined;
      },
      SOON_MS,
      () => 'the messages were not refused',
    );
    status = 503;
    await told(operator(`/operator/deliveries/${dead[0]!.id}/resend`, 'POST'));
    await arrived(receiver, forms.length + 1);
    const { receivers } = okBody(await operator('/operator/receivers')) as never as {
      receivers: { id: string }[];
    };
    for (const { id } of receivers) await told(operator(`/operator/receivers/${id}/test`, 'POST'));
    okBody(await api.call('PUT', `/v1.0/demo/servers/web-1/subscription/${ids[0]}/mute`, { for: 60 }));
    okBody(await api.call('DELETE', `/v1.0/demo/servers/web-1/subscription/${ids[1]}`));

    const session = await request(`${url}/console/api/session`, 'POST', {
      tenant: 'demo',
      user: 'demo',
      password: 'demo',
    });
    const cookie = (session.headers.getSetCookie()[0] ?? '').split(';')[0]!;
    const owned = [
      '',
      '/subscriptions',
      '/audit',
      '/deliveries',
      '/receivers',
      '/fleet',
      '/rules-status',
      '/servers',
      '/quiet',
    ];
    const paths = [
      ...owned.map((path) => `/v1.0/demo${path}`),
      ...['', '/rules', `/rules/${ruleId}/explain`, '/explain', '/history'].map(
        (path) => `/v1.0/demo/servers/web-1${path}`,
      ),
      ...ids.map((id) => `/v1.0/demo/servers/web-1/subscription/${id}`),
    ];
    for (const path of paths) {
      await told(api.call('GET', path));
      await told(ann.call('GET', path.replace('/demo', '/other')));
      await told(ann.call('GET', path));
    }
    const lists = [
      'actors?limit=500',
      'deliveries',
      'receivers',
      'servers',
      'rules',
      'audit',
      'refusals',
      'tenants',
      'nodes',
    ];
    for (const path of lists) await told(operator(`/operator/${path}`));
    const { actors } = okBody(await operator('/operator/actors?limit=500')) as never as {
      actors: { kind: string; tenant: string; name: string }[];
    };
    for (const { kind, tenant, name } of actors)
      await told(operator(`/operator/actors/${kind}/${encodeURIComponent(`${tenant}/${name}`)}`));
    for (const { id } of dead) await told(operator(`/operator/deliveries/${id}`));
    await told(operator('/metrics'));
    await told(request(`${url}/openapi.json`, 'GET'));
    const views = service.routes
      .map(({ path }) => String(path))
      .filter((path) => /^\/console\/api\/[^:*]*$/.test(path));
    for (const path of views.filter((one) => !one.includes('events')))
      await told(request(url + path, 'GET', undefined, { cookie }));
    await told(request(`${url}/console/api/servers/demo/web-1`, 'GET', undefined, { cookie }));

    // The export too: it has the key, and operators alone get it.
    await told(operator('/operator/export'));
    await reader.cancel();
    await reading.catch(() => undefined);
    await service.close();
    const files = await readdir(DATA_DIR, { recursive: true, withFileTypes: true });
    for (const file of files.filter((one) => one.isFile()))
      texts.push(await readFile(join(file.parentPath, file.name), 'latin1'));

    const all = [...texts, ...logged, ...streamed];
    expect(all.length).to.be.above(80);
    expect(texts.filter((text) => text.includes('Authorization')).length).to.be.above(5);
    expect(streamed.join('')).to.include('delivery');
    expect(logged.length).to.be.above(20);
    for (const text of all) expect(tellsIn(text), text.slice(0, 500)).to.deep.equal([]);
  });
});
