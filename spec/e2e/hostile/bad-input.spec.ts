import { STATUS_CODES } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { type ApiAnswer, request } from '../api-client.js';
import { ALWAYS, cpu, okBody, windowSize } from '../policy/actions.js';
import { cases } from '../../cases.js';
import { anyBody, type Sent } from './hostile-bodies.js';
import { type Ids, OPERATIONS, prepared, shownState } from '../policy/operation-table.js';
import { scenes } from '../scene.js';
import { ANY_CHARACTER } from '../../any-character.js';

/** Statuses that a request of anybody may get. */
const DOCUMENTED = new Set([400, 401, 403, 404, 405, 406, 413]);
/** Maximum time of a request, ms. A longer one hangs. */
const PATIENCE_MS = 10_000;

/** Fails unless the answer is a success or a documented error. */
function expectDocumented(answer: ApiAnswer, what: string): void {
  if (answer.status === 200) return;
  expect(DOCUMENTED, `${what}: ${answer.status} ${answer.text}`).to.include(answer.status);
  const { error } = answer.body as { error?: { message?: unknown; code?: unknown; title?: unknown } };
  expect(Object.keys(answer.body), what).to.deep.equal(['error']);
  expect(error, what).to.deep.equal({
    message: error!.message,
    code: answer.status,
    title: STATUS_CODES[answer.status],
  });
  expect(error!.message, what)
    .to.be.a('string')
    .and.not.to.match(/[\p{Cc}]/u);
  expect(String(error!.message).length, what).to.be.within(5, 20_000);
}

async function inTime<T>(answer: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} hangs`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

const textOf = (characters: string): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...characters.split('')) });

const shorten = (sent: Sent): string => JSON.stringify(String(sent.body)).slice(0, 500);

describe('bodies of any kind', () => {
  const open = scenes();

  for (const { number, method, path, body } of OPERATIONS) {
    it(`are accepted or refused by operation ${number}; a refused one changes nothing`, async () => {
      const { url, api } = await open.service({ LOG_LEVEL: 'error' });
      const ids = await prepared(api);
      let before = await shownState(api, ids);
      const seen = { accepted: 0, refused: 0, lastFact: 0 };
      const sending = fc.asyncProperty(anyBody(body?.(ids)), async (sent) => {
        const what = `operation ${number} with ${shorten(sent)}`;
        const headers = { 'x-auth-token': api.token, ...sent.headers };
        const answer = await inTime(request(url + path(ids), method, sent.body, headers), what);
        expectDocumented(answer, what);
        if (answer.status === 200) seen.accepted += 1;
        else seen.refused += 1;
        if (number === 1 && answer.status === 200) seen.lastFact = answer.body['id']!;
        const after = await shownState(api, ids);
        if (answer.status !== 200) expect(after, what).to.equal(before);
        before = after;
      });
      await fc.assert(sending, { numRuns: body === undefined ? cases(100, 10) : cases(1_000, 100) });
      expect(seen.accepted, 'accepted').to.be.greaterThan(0);
      if (body !== undefined) expect(seen.refused, 'refused').to.be.greaterThan(seen.accepted);
      expect(await cpu(api, ids.serverId, 1), 'number of the next fact').to.equal(seen.lastFact + 1);
    });
  }

  it('are accepted or refused by the token route', async () => {
    const { url } = await open.service();
    const auth = { tenantName: 'demo', passwordCredentials: { username: 'demo', password: 'demo' } };
    const sending = fc.asyncProperty(anyBody({ auth }), async (sent) => {
      const what = `the token route with ${shorten(sent)}`;
      const answer = await inTime(
        request(`${url}/identity/v2.0/tokens`, 'POST', sent.body, sent.headers),
        what,
      );
      expectDocumented(answer, what);
    });
    await fc.assert(sending, { numRuns: cases(500, 50) });
  });

  it('do no harm: a measurement cannot be NaN, and a window cannot be endless', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const receiver = await open.receiver();
    const { ruleId } = okBody(await api.call('POST', '/v1.0/demo/servers/web-1/rules', ALWAYS));
    okBody(await api.call('POST', '/v1.0/demo/servers/web-1/subscription', { ruleId, url: receiver.origin }));
    const values = fc.oneof(
      fc.constantFrom(
        'NaN',
        'Infinity',
        '-0',
        '1e999',
        '1e-999',
        '0e0',
        '٣',
        '１',
        '1_0',
        '0b1',
        '1n',
        ' ',
        '\0',
      ),
      fc.double().map(String),
      fc.double({ min: 0, max: 100, noNaN: true }).map(String),
      textOf('0123456789.eE+-xX '),
    );
    const sending = fc.asyncProperty(values, async (value) => {
      const attribute = { name: 'cpuLoadPct', value, type: 'string' };
      const contextElement = { attributes: [attribute], id: 'a', isPattern: 'false', type: 'host' };
      const answer = await request(`${url}/demo/servers/web-1`, 'POST', {
        contextResponses: [{ contextElement }],
      });
      expectDocumented(answer, value);
      const number = /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN;
      expect(answer.status === 200, value).to.equal(number >= 0 && number <= 100);
    });
    await fc.assert(sending, { numRuns: cases(500, 50) });
    const fired = receiver.got.map(
      ({ body }) => (JSON.parse(body) as { measures: { cpu: unknown } }).measures.cpu,
    );
    expect(fired.every((value) => typeof value === 'number')).to.equal(true);
  });
});

describe('paths, queries and headers of any kind', () => {
  const open = scenes();

  it('are answered as documented', async () => {
    const { api } = await open.service();
    const ids = await prepared(api);
    const before = await shownState(api, ids);
    const segment = fc.oneof(
      fc
        .string({ unit: ANY_CHARACTER, maxLength: 20 })
        .map((text) => encodeURIComponent(text.toWellFormed())),
      fc.constantFrom(
        '..',
        '.',
        '%00',
        '%2e%2e',
        '%2F',
        '%ff',
        '%',
        '__proto__',
        'constructor',
        'x'.repeat(5000),
        '.json',
        'a.json',
      ),
    );
    const names = Object.keys(ids) as (keyof Ids)[];
    const asking = fc.asyncProperty(
      fc.constantFrom(...OPERATIONS.filter(({ method }) => method === 'GET')),
      fc.constantFrom(...names),
      segment,
      textOf('abc=&?;%#/ '),
      textOf('abc/*;q=0.1, '),
      async ({ path }, name, text, query, accept) => {
        const at = `${path({ ...ids, [name]: text })}?${encodeURI(query).replaceAll('#', '')}`;
        expectDocumented(await inTime(api.call('GET', at, undefined, { accept }), at), at);
      },
    );
    await fc.assert(asking, { numRuns: cases(1_500, 150) });
    expect(await shownState(api, ids)).to.equal(before);
  });

  it('of extreme depth, length and compression are answered within seconds', async () => {
    const { url, api } = await open.service();
    const ids = await prepared(api);
    const before = await shownState(api, ids);
    const bombs: readonly (string | Uint8Array)[] = [
      '['.repeat(1_000_000),
      '{"a":'.repeat(200_000),
      `[${'1,'.repeat(500_000)}1]`,
      `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
      `{"name":"${String.raw`\u0041`.repeat(170_000)}"}`,
      `{"windowsize":${'9'.repeat(1_000_000)}}`,
      `{"contextResponses":[${'{},'.repeat(300_000)}{}]}`,
      '"'.repeat(1_000_000),
      Buffer.alloc(1_048_576, 0xff),
    ];
    for (const { number, method, path, body } of OPERATIONS) {
      if (body === undefined) continue;
      for (const [i, bomb] of bombs.entries()) {
        const what = `operation ${number} with bomb ${i}`;
        expectDocumented(
          await inTime(request(url + path(ids), method, bomb, { 'x-auth-token': api.token }), what),
          what,
        );
      }
    }
    // 200 MB in ten members of one file, so that they are compressed once.
    const member = gzipSync(Buffer.alloc(20_000_000, '['));
    const zipped = Buffer.concat(Array.from({ length: 10 }, () => member));
    const headers = { 'x-auth-token': api.token, 'content-encoding': 'gzip' };
    const answer = await inTime(request(`${url}/v1.0/demo/rules`, 'POST', zipped, headers), 'a zip bomb');
    expect(answer.status).to.equal(413);
    expect(await shownState(api, ids)).to.equal(before);
  });
});
