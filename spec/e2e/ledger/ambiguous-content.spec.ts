import { expect } from 'chai';
import { expectProblem } from './problem.js';
import { anyId, ENTITIES, receiptIn, sharedLedger, UPSERT } from './scene.js';

const HASH = `0x${'ab'.repeat(32)}`;
/** Makes a body so large that a thread reads it. */
const PADDING = `"padding":"${'x'.repeat(20_000)}",`;

const AMBIGUOUS: readonly (readonly [what: string, members: string, fault: string])[] = [
  ['two members of one name', '"n":{"value":1},"n":{"value":2}', 'n: must be given once'],
  ['two members of one name, one escaped', String.raw`"n":{"a":1,"\u0061":2}`, 'n.a: must be given once'],
  ['two members named __proto__', '"n":{"__proto__":1,"__proto__":2}', 'n.__proto__: must be given once'],
  ['2^53', '"n":9007199254740992', 'n: must not be an integer beyond ±9007199254740991'],
  ['-2^53 in arrays', '"n":[[0],[1,-9007199254740992]]', 'n[1][1]: must not be an integer beyond'],
];

const EXACT =
  '"n":[9007199254740991,-9007199254740991,1e300,9007199254740993.0,[{"a":1},{"a":2}],"9007199254740993"]';

describe('content that readers could understand in different ways', () => {
  const ledger = sharedLedger();

  /** Requests whose content is these members: the operation, its body, and the place of the content in it. */
  const requestsWith = (members: string, id: string) => {
    const entity = `{"id":"${id}","type":"Building",${members}}`;
    const fragment = `{${members}}`;
    return {
      recording: [
        [`POST ${ENTITIES}`, entity, ''],
        [`POST ${ENTITIES}${id}/attrs`, fragment, ''],
        [`PATCH ${ENTITIES}${id}/attrs`, fragment, ''],
        [`POST ${UPSERT}`, `[{"id":"urn:a:1","type":"T"},${entity}]`, '[1].'],
        [`POST ${UPSERT}?options=replace`, `[${entity}]`, '[0].'],
      ],
      verifying: [
        ['POST /ledger/verify', `{"transactionHash":"${HASH}","entity":${entity}}`, 'entity.'],
        [
          'POST /ledger/verify',
          `{"transactionHash":"${HASH}","entityId":"${id}","fragment":${fragment}}`,
          'fragment.',
        ],
        ['POST /ledger/verify', `{"transactionHash":"${HASH}","query":${fragment}}`, 'query.'],
      ],
    } as const;
  };

  for (const [what, members, fault] of AMBIGUOUS) {
    it(`is refused with its place, and nothing is recorded: ${what}`, async () => {
      const [signer, count, id] = [await ledger().account(), await ledger().count(), anyId()];
      for (const padding of ['', PADDING]) {
        const { recording, verifying } = requestsWith(padding + members, id);
        for (const [request, body, place] of [...recording, ...verifying]) {
          const answer = await ledger().ask(request, body, signer.headers);
          expectProblem(answer, 400, 'BadRequestData', place + fault);
        }
      }
      expect(await ledger().count()).to.equal(count);
      expect(await ledger().trace(id)).to.deep.equal([]);
      expect(await ledger().nonceOf(signer.address)).to.equal(0);
    });
  }

  it('is nothing else: exact integers, rounded numbers with a fraction or an exponent, names in other objects', async () => {
    const id = anyId();
    for (const padding of ['', PADDING]) {
      for (const [request, body] of requestsWith(padding + EXACT, id).recording) {
        receiptIn(await ledger().ask(request, body));
      }
    }
    expect(await ledger().trace(id)).to.have.length(10);
  });

  it('is verified if it is recorded', async () => {
    const id = anyId();
    const { recording } = requestsWith(EXACT, id);
    const [request, entity] = recording[0];
    const { transactionHash } = receiptIn(await ledger().ask(request, entity));
    const claim = `{"transactionHash":"${transactionHash}","entity":${entity}}`;
    const verdict = await ledger().ask('POST /ledger/verify', claim);
    expect(verdict.body, verdict.text).to.include({ verified: true, operation: 'create', entityId: id });
  });

  it('is refused in a claim itself: two members of one name', async () => {
    const claim = `{"transactionHash":"${HASH}","query":{},"query":{}}`;
    expectProblem(
      await ledger().ask('POST /ledger/verify', claim),
      400,
      'BadRequestData',
      'query: must be given once',
    );
  });
});
