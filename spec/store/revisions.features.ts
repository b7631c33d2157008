import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { RANGE } from '../../src/store/revisions.js';
import { change, commitOne, create, creation, loadExisting, removal } from './documents.js';
import type { Home, MakeHome } from './home.js';

const CHILD = fileURLToPath(new URL('revisions-child.js', import.meta.url));

/** The store that a child process opens. */
export type Place = { readonly folder: string } | { readonly url: string };

/** The behaviour of every store towards revisions. */
export function revisionFeatures(makeHome: MakeHome): void {
  const id = 'key/account/order-17';
  let home: Home;

  beforeEach(async () => {
    home = await makeHome();
  });
  afterEach(() => home.remove());

  it('gives out higher revisions, and none twice after it is opened again', async () => {
    const store = await home.open();
    const before = [await store.nextRevision(0), await store.nextRevision(0)];
    await store.close();
    const again = await home.open();
    const after = [await again.nextRevision(0), await again.nextRevision(0)];
    expect(new Set([...before, ...after]).size).to.equal(4);
    expect(await again.nextRevision(after[1]!)).to.equal(after[1]! + 1);
    expect(await again.nextRevision(after[1]! + RANGE - 1)).to.be.above(after[1]! + RANGE - 1);
  });

  it('continues above the documents if its counter is behind them', async () => {
    const store = await home.open();
    const old = 2 ** 50 + RANGE - 1;
    const next = await store.nextRevision(old);
    expect(next).to.be.above(old);
    expect(await store.nextRevision(next + RANGE - 1)).to.be.above(next + RANGE - 1);
  });

  it('keeps the largest revision exactly', async () => {
    const store = await home.open();
    const last = Number.MAX_SAFE_INTEGER;
    await store.commit([creation(id, {}, last - 1)]);
    const stored = await loadExisting(store, id);
    expect(stored.revision).to.equal(last - 1);
    expect(await commitOne(store, change(id, { ...stored, revision: last - 2 }))).to.equal('lost');
    expect(await commitOne(store, change(id, stored))).to.equal('won');
    expect((await loadExisting(store, id)).revision).to.equal(last);
  });

  it('lets a commit lose whose document has been deleted and created again', async () => {
    const store = await home.open();
    const revision = async (): Promise<number> => store.nextRevision(0);
    await store.commit([creation(id, { frequent: 'old' }, await revision())]);
    const old = await loadExisting(store, id);
    await store.commit([removal(id, old)]);
    await store.commit([creation(id, { frequent: 'new' }, await revision())]);
    for (const late of [
      change(id, old),
      removal(id, old),
      change(id, old, { state: 'x', rare: 'c', wakeAt: 1 }),
    ]) {
      expect(await commitOne(store, late)).to.equal('lost');
    }
    expect(await loadExisting(store, id)).to.include({ frequent: 'new' });
    expect(await create(store, `${id}/other`)).to.be.an('object');
  });
}

/** The revisions of processes that are killed at any moment, `atOnce` of them at a time. */
export function killedRevisionFeatures(place: () => Place, atOnce: number): void {
  it('gives out no revision twice to processes that are killed', async () => {
    const seen = new Set<string>();
    let count = 0;
    for (let round = 0; round < 3; round += 1) {
      const printed = await Promise.all(Array.from({ length: atOnce }, () => printedBy(place(), 20_000)));
      for (const line of printed.flat()) {
        seen.add(line);
        count += 1;
      }
    }
    expect(count).to.be.above(60_000 * atOnce - 1);
    expect(seen.size).to.equal(count);
  });
}

/** Resolves with the whole lines that a process printed before it was killed, `lines` or more. */
async function printedBy(place: Place, lines: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(place)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    if (text.length > lines * 10) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return text.split('\n').slice(0, -1);
}
