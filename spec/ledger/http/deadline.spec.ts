import { expect } from 'chai';
import { request } from 'node:http';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { problemIn, scenes, WALLET } from './scene.js';

const WAIT_MS = 60_000;
const forEver = (): Promise<never> => new Promise(() => undefined);

const soon = (holds: () => boolean): Promise<true> =>
  eventually(
    async () => holds() || undefined,
    SOON_MS,
    () => `does not hold: ${String(holds)}`,
  );
/** Resolves when the clock is ahead of a time by more than what a request needs. */
const laterThan = (time: number): Promise<true> => soon(() => Date.now() > time + 20);

describe('the deadline of a request that records', () => {
  const open = scenes();

  it('counts from the arrival of its head, not from the end of the token check or of its body', async () => {
    let checkedAt = 0;
    const scene = await open({
      waitMs: WAIT_MS,
      authenticated: async (_ctx, next) => {
        checkedAt = Date.now();
        await laterThan(checkedAt);
        return next();
      },
    });
    const sentAt = Date.now();
    const sent = request(`${scene.url}/ngsi-ld/v1/entities/`, {
      method: 'POST',
      headers: { ...WALLET, 'content-type': 'application/json' },
    });
    sent.on('error', () => undefined);
    sent.write('{"id":"urn:ngsi-ld:Car:1",');
    // The wallet is opened before the body is read.
    await soon(() => scene.opened.length === 1);
    await laterThan(Date.now());
    sent.end('"type":"Car"}');
    await soon(() => scene.recorded.length === 1);
    expect(scene.recorded[0]!.by.deadline).to.be.within(sentAt + WAIT_MS - 2, checkedAt + WAIT_MS + 2);
  });

  it('ends the lookup of the wallet’s host: 503, nothing was done', async () => {
    const { ask, recorded } = await open({ waitMs: 30, wallets: { open: forEver } });
    const response = await ask('POST /ngsi-ld/v1/entities/', {
      headers: WALLET,
      body: { id: 'urn:a:1', type: 'T' },
    });
    expect(response.status).to.equal(503);
    expect(response.headers.get('retry-after')).to.equal('1');
    expect((await problemIn(response)).detail)
      .to.contain('Wallet-Address')
      .and.to.contain('nothing was done');
    expect(recorded).to.deep.equal([]);
  });
});
