import { expect } from 'chai';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { problemIn, scenes } from './scene.js';

/** A batch whose proofs have more than 64 Ki characters. */
const BATCH = Array.from({ length: 200 }, (_, i) => ({ id: `urn:ngsi-ld:Store:${i}`, type: 'Store' }));
const UPSERT = 'POST /ngsi-ld/v1/entityOperations/upsert';

describe('batches with long answers', () => {
  const set = scenes();

  it('are refused, and not recorded, while many are in progress or wait to be read', async () => {
    let recording = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const record = async (): Promise<Iterable<string>> => {
      recording += 1;
      await released;
      return ['{}'];
    };
    const scene = await set({ ledger: { record }, answerCharacters: 1_000_000 });
    const answers: Promise<Response>[] = [];
    for (let i = 0; i < 3; i += 1) {
      answers.push(scene.ask(UPSERT, { body: BATCH }));
      await eventually(
        async () => recording === i + 1 || undefined,
        SOON_MS,
        () => `batch ${i} is not recorded`,
      );
    }
    let refused: Response | undefined;
    for (let i = 0; i < 20 && refused === undefined; i += 1) {
      const next = scene.ask(UPSERT, { body: BATCH });
      const before = recording;
      const answered = next.then((response) => response);
      const isIn = async () => recording > before || undefined;
      const first = await Promise.race([
        answered,
        eventually(isIn, SOON_MS, () => 'neither').then(() => undefined),
      ]);
      if (first === undefined) answers.push(next);
      else refused = first;
    }
    expect(refused?.status).to.equal(503);
    expect((await problemIn(refused!)).detail).to.contain('nothing was done');
    const small = scene.ask(UPSERT, { body: BATCH.slice(0, 2) });
    release();
    for (const response of [...(await Promise.all(answers)), await small])
      expect(response.status).to.equal(200);
    expect(recording).to.equal(answers.length + 1);
    expect((await scene.ask(UPSERT, { body: BATCH })).status).to.equal(200);
  });
});
