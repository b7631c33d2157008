import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { exportRoute } from '../../src/operator/export.js';
import { openLmdb } from '../../src/store/lmdb/lmdb.js';
import type { Store } from '../../src/store/port.js';
import { addSubscribedRule, cpu, okBody } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { edges } from '../http/edge.js';
import { change, commitOne, creation, loadExisting } from '../store/documents.js';

const NOW = 1_800_000_000_000;
const linesOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('/operator/export', () => {
  describe('of a service', () => {
    const open = scenes();

    it('has a header, each actor and secret on a line, and their number; operators alone get it', async () => {
      const OPERATOR_TOKEN = 'let-the-operators-in';
      const { url, api } = await open.service({ OPERATOR_TOKEN });
      const { ruleId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/');
      await cpu(api, 'web-1', 1);
      const address = `${url}/operator/export`;
      expect((await fetch(address)).status).to.equal(401);
      const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
      const response = await fetch(address, { headers });
      expect(response.headers.get('content-type')).to.match(/^application\/x-ndjson/);
      const [header, ...rest] = linesOf(await response.text());
      const { version } = (await (await fetch(`${url}/version`)).json()) as { version: string };
      expect(header).to.deep.include({ format: 1, version });
      expect(Math.abs(Date.parse(header!['time'] as string) - Date.now())).to.be.below(60_000);
      expect(rest.at(-1)).to.deep.equal({ end: rest.length - 1 });
      const kinds = rest.slice(0, -1).map(({ id }) => (id as string).split('/')[0]);
      expect(kinds).to.include.members(['secret', 'server', 'tenant', 'tenant-name']);
      const server = rest.find(({ id }) => (id as string).endsWith('/web-1'))!;
      expect(JSON.parse(server['rare'] as string)).to.have.nested.property('rules[0].ruleId', ruleId);
      expect(server).to.have.nested.property('place.tags');
      const head = await fetch(address, { headers, method: 'HEAD' });
      expect([head.status, await head.text()]).to.deep.equal([200, '']);
      expect((await fetch(`${address}?kind=server`, { headers })).status).to.equal(400);
      okBody(await api.call('GET', '/v1.0/demo'));
    });
  });

  describe('of a large store', () => {
    const edge = edges();
    let folder: string;
    let store: Store;
    let readings: { opened: number; closed: number };
    let url: string;
    let closedOne: () => void;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'export-'));
      store = await openLmdb({ folder });
      const frequent = JSON.stringify('x'.repeat(10_000));
      await store.commit(
        Array.from({ length: 3_000 }, (_, i) => creation(`k/t/${10_000 + i}`, { frequent })),
      );
      readings = { opened: 0, closed: 0 };
      closedOne = () => undefined;
      const counted: Pick<Store, 'readAll'> = {
        async readAll() {
          const reading = await store.readAll();
          readings.opened += 1;
          const close = (): void => {
            reading.close();
            readings.closed += 1;
            closedOne();
          };
          return { ...reading, close };
        },
      };
      ({ url } = await edge([
        [
          exportRoute({
            store: counted,
            version: '1',
            fingerprints: async () => ({}),
            now: () => NOW,
          }),
        ],
      ]));
    });
    afterEach(async () => {
      await store.close();
      await rm(folder, { recursive: true });
    });

    const begin = async (): Promise<IncomingMessage> => {
      const [response] = (await once(get(`${url}/operator/export`), 'response')) as [IncomingMessage];
      return response;
    };

    it('waits for a reader that stops to read, keeps its moment, and goes on with it', async () => {
      const response = await begin();
      await once(response, 'readable');
      const last = 'k/t/12999';
      // Far more is written than any buffer holds.
      for (let i = 0; i < 50; i += 1) {
        await commitOne(store, change(last, await loadExisting(store, last), { frequent: `"${i}"` }));
        expect(readings).to.deep.equal({ opened: 1, closed: 0 });
      }
      let text = '';
      for await (const piece of response) text += String(piece);
      const [header, ...rest] = linesOf(text);
      expect(header!['time']).to.equal(new Date(NOW).toISOString());
      expect(rest).to.have.length(3_001);
      expect(rest.at(-1)).to.deep.equal({ end: 3_000 });
      expect((rest.at(-2)!['frequent'] as string).length).to.equal(10_002);
      expect(readings).to.deep.equal({ opened: 1, closed: 1 });
    });

    it('releases its moment when the connection is cut', async () => {
      const closed = new Promise<void>((resolve) => (closedOne = resolve));
      const response = await begin();
      await once(response, 'readable');
      expect(readings).to.deep.equal({ opened: 1, closed: 0 });
      response.destroy();
      await closed;
      expect(readings).to.deep.equal({ opened: 1, closed: 1 });
    });

    it('breaks off, without its last line, when the store is closed', async () => {
      const response = await begin();
      await once(response, 'readable');
      await store.close();
      let text = '';
      const broken = await (async () => {
        for await (const piece of response) text += String(piece);
      })().catch((error: unknown) => error as Error);
      expect(broken).to.be.instanceOf(Error);
      expect(text).not.to.include('{"end"');
    });
  });
});
