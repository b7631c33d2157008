import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { ApiAnswer } from '../../api-client.js';
import { expectProblem } from '../problem.js';
import {
  anyId,
  building,
  ENTITIES,
  type LedgerService,
  openLedger,
  receiptIn,
  type Signer,
} from '../scene.js';
import { type SlowVault, startSlowVault } from './slow-vault.js';

const CALLERS = 200;
/** Signatures of one account that are made at the same time. */
const PARALLEL = 64;
const WAIT_MS = 2_000;
/** How much longer a request waits that is being signed at its deadline. */
const GRACE_MS = 2_000;
/** Time for a signature that is too late, and for one that is made before the end of the grace, ms. */
const [TOO_LONG_MS, LONG_MS] = [6_000, 2_500];

interface Timed extends ApiAnswer {
  readonly entityId: string;
  readonly ms: number;
}

describe('a wallet that is slower than LEDGER_WAIT_S', () => {
  let ledger: LedgerService;
  let vault: SlowVault;

  afterEach(async () => {
    await ledger.close();
    await vault.close();
  });

  const open = async (): Promise<void> => {
    vault = await startSlowVault();
    ledger = await openLedger({ LEDGER_WAIT_S: String(WAIT_MS / 1_000) });
  };
  const create = async ({ headers }: Signer, more: Record<string, string> = {}): Promise<Timed> => {
    const entityId = anyId();
    const startedAt = Date.now();
    const answer = await ledger.ask(`POST ${ENTITIES}`, building(entityId), { ...headers, ...more });
    return { ...answer, entityId, ms: Date.now() - startedAt };
  };
  const createMany = (signer: Signer, count = CALLERS): Promise<Timed[]> =>
    Promise.all(Array.from({ length: count }, () => create(signer)));
  /** Returns how long this machine takes for as many requests with a wallet that is not slow, and a margin, ms. */
  const marginMs = async (): Promise<number> => {
    const answers = await createMany(vault.account('fast', 0));
    return 900 + Math.max(...answers.map(({ ms }) => ms));
  };
  const signaturesMade = (): Promise<true> =>
    eventually(
      async () => vault.signing() === 0 || undefined,
      SOON_MS,
      () => 'the wallet still signs',
    );
  const pool = async (): Promise<number> => {
    const { pending } = (await ledger.anvil.rpc('txpool_status')) as { pending: string };
    return Number(pending);
  };

  it('by more than the grace: every request is 503 in time, and nothing is recorded', async () => {
    await open();
    const margin = await marginMs();
    const before = await ledger.count();
    const signer = vault.account('slow', TOO_LONG_MS);
    const answers = await createMany(signer);
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    expect(slowest, 'the longest wait, ms').to.be.below(WAIT_MS + GRACE_MS + margin);
    // Most are out of the queue before any signature is made.
    const early = answers.filter(({ ms }) => ms < WAIT_MS + margin);
    expect(early.length).to.be.at.least(CALLERS - PARALLEL);
    for (const answer of early) expectProblem(answer, 503, 'about:blank', 'nothing was done');
    await signaturesMade();
    const recorded = answers.filter(({ status }) => status === 200);
    for (const { entityId, status } of answers) {
      expect(await ledger.trace(entityId)).to.have.length(status === 200 ? 1 : 0);
    }
    expect(new Set([200, 503, ...answers.map(({ status }) => status)]).size).to.equal(2);
    expect(await ledger.nonceOf(signer.address)).to.equal(recorded.length);
    expect(await ledger.count()).to.equal(before + recorded.length);
    // The nonces are those of the chain: the next request is recorded.
    receiptIn(await create(vault.account('slow', 0)));
    expect(await ledger.nonceOf(signer.address)).to.equal(recorded.length + 1);
  });

  it('by less than the grace: requests that are being signed are recorded, the others are 503', async () => {
    await open();
    const margin = await marginMs();
    const signer = vault.account('slow', LONG_MS);
    const answers = await createMany(signer);
    expect(Math.max(...answers.map(({ ms }) => ms))).to.be.below(WAIT_MS + GRACE_MS + margin);
    const recorded = answers.filter(({ status }) => status === 200);
    expect(recorded).to.have.length(PARALLEL);
    for (const answer of answers) {
      if (answer.status !== 200) expectProblem(answer, 503, 'about:blank', 'nothing was done');
      const receipts = await ledger.trace(answer.entityId);
      expect(receipts).to.deep.equal(answer.status === 200 ? [receiptIn(answer)] : []);
    }
    expect(await ledger.nonceOf(signer.address)).to.equal(PARALLEL);
  });

  it('on a chain without blocks: signed requests are 504 with the hash and recorded later', async () => {
    await open();
    const margin = await marginMs();
    await ledger.anvil.rpc('evm_setAutomine', [false]);
    const answers = await createMany(vault.account('slow', LONG_MS));
    expect(Math.max(...answers.map(({ ms }) => ms))).to.be.below(WAIT_MS + GRACE_MS + margin);
    const sent = answers.filter(({ status }) => status === 504);
    expect(sent).to.have.length(PARALLEL);
    expect(await pool()).to.equal(PARALLEL);
    await ledger.anvil.rpc('evm_mine');
    for (const { entityId, body } of sent) {
      const receipt = await eventually(
        async () => (await ledger.trace(entityId))[0],
        SOON_MS,
        () => `${entityId} is not listed`,
      );
      expect(receipt.transactionHash).to.equal(body['transactionHash']);
    }
    for (const answer of answers) {
      if (answer.status === 504) continue;
      expectProblem(answer, 503, 'about:blank', 'nothing was done');
      expect(await ledger.trace(answer.entityId)).to.deep.equal([]);
    }
  });

  it('leaves the Idempotency-Key free: the same request again is recorded once', async () => {
    await open();
    const entityId = anyId();
    const again = (signer: Signer): Promise<ApiAnswer> =>
      ledger.ask(`POST ${ENTITIES}`, building(entityId), { ...signer.headers, 'Idempotency-Key': entityId });
    expectProblem(await again(vault.account('slow', TOO_LONG_MS)), 503, 'about:blank', 'nothing was done');
    const signer = vault.account('slow', 0);
    const receipt = receiptIn(await again(signer));
    await signaturesMade();
    expect(await ledger.trace(entityId)).to.deep.equal([receipt]);
    expect(await ledger.nonceOf(signer.address)).to.equal(1);
  });

  it('does not hold up other accounts, of the same wallet or of another one', async () => {
    await open();
    const others = [vault.account('fast', 0), await ledger.account()];
    const inTurn = async (): Promise<number[]> => {
      const taken: number[] = [];
      for (let i = 0; i < 20; i += 1) {
        for (const other of others) {
          const answer = await create(other);
          receiptIn(answer);
          taken.push(answer.ms);
        }
      }
      return taken.toSorted((a, b) => a - b);
    };
    const before = await inTurn();
    const slow = createMany(vault.account('slow', 2 * TOO_LONG_MS));
    await eventually(
      async () => vault.signing() > 0 || undefined,
      SOON_MS,
      () => 'nothing is signed',
    );
    const during = await inTurn();
    expect(vault.signing(), 'the slow account is at it').to.be.above(0);
    expect(during.at(-1), `longest, ms; ${before.at(-1)} before`).to.be.below(WAIT_MS + before.at(-1)!);
    await slow;
  });
});
