import { expect } from 'chai';
import type { Vector } from '../../../ledger/proof-file/vectors.js';
import { mineWith } from '../../../ledger/proofs/mixed-block.js';
import { until } from '../../../ledger/scene.js';
import type { ApiAnswer } from '../../api-client.js';
import { anyId, building, ENTITIES, notification, receiptIn, UPSERT } from '../scene.js';
import { allVerifiers, provenBy } from './all-verifiers.js';
import { openProofs } from './scene.js';

describe('proof files without service, chain and store', () => {
  const expectVerified = allVerifiers();

  it('are verified by all four verifiers', async () => {
    const scene = await openProofs({}, ['--hardfork', 'prague']);
    const records: Vector[] = [];
    const add = async (
      answer: ApiAnswer,
      kind: Vector['kind'],
      entityId: string,
      content: object,
    ): Promise<void> => {
      records.push(await provenBy(scene, answer, kind, entityId, content));
    };
    try {
      const [entity, fragment] = [building(), { name: { type: 'Property', value: 'new' } }];
      const path = `/ngsi-ld/v1/entities/${entity.id}`;
      await add(await scene.ask(`POST ${ENTITIES}`, entity), 'entity', entity.id, entity);
      await add(await scene.ask(`POST ${path}/attrs`, fragment), 'fragment', entity.id, fragment);
      const query = { type: 'Building', limit: 5 };
      const asked = await scene.ask(`GET ${ENTITIES}?type=Building&limit=5`);
      await add(asked, 'query', 'urn:ngsi-ld:requestor:default', query);
      const retrieval = { attrs: 'name', entityId: entity.id };
      await add(await scene.ask(`GET ${path}?attrs=name`), 'query', entity.id, retrieval);
      for (const size of [1, 2, 3, 100, 10_000]) {
        const batch = Array.from({ length: size }, (_, n) => building(anyId(), `Barn ${n}`));
        const answer = await scene.ask(`POST ${UPSERT}?options=replace`, batch);
        for (const one of new Set([batch[0]!, batch.at(-1)!])) await add(answer, 'entity', one.id, one);
      }
      const notified = [building(), building()];
      const { body } = await scene.ask('POST /ledger/notify', notification(notified));
      const operation = `GET /ledger/operations/${String(body['operation'])}`;
      await until(async () => receiptIn(await scene.ask(operation)));
      await add(await scene.ask(operation), 'entity', notified[1]!.id, notified[1]!);
      const among = building();
      const mixed = await mineWith(
        scene.anvil,
        250,
        [0, 1, 2, 3, 4],
        [() => scene.ask(`POST ${ENTITIES}`, among)],
      );
      await add(mixed[0]!, 'entity', among.id, among);
    } finally {
      await scene.close();
    }

    await expectVerified(records);
    expect(records.length).to.equal(15);
  });
});
