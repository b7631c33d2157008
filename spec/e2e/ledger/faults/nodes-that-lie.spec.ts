import { expect } from 'chai';
import { deployTimestamper } from '../../../../src/embedded/chain/deploy.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { type Anvil, startAnvil } from '../../../servers/chain.js';
import { type Gateway, type Habits, HONEST, startGateway } from '../../../chain/gateway.js';
import type { ApiAnswer } from '../../api-client.js';
import { type RunningService, runService } from '../../running-service.js';
import {
  building,
  ENTITIES,
  ledgerClient,
  type LedgerClient,
  type Receipt,
  receiptIn,
  settingsFor,
  type Signer,
} from '../scene.js';

/** Answers to a transaction that the gateway has passed on. */
const AFTER_PASSING_ON: Readonly<Record<string, Habits['answers']>> = {
  'a deadline of its own': { message: 'context deadline exceeded' },
  'a connection that its upstream cut': {
    message:
      'upstream connect error or disconnect/reset before headers. reset reason: connection termination',
  },
  'an internal error': { message: 'Internal server error', code: -32_603 },
  'an internal error with status 500': { message: 'Internal error', code: -32_603, status: 500 },
  'a refusal of its plan': { message: 'insufficient funds on your plan, please upgrade' },
  'a limit of its own': { message: 'daily request count exceeded, request rate limited', code: -32_005 },
  'that its price is too low': { message: 'transaction underpriced' },
  'that the pool is full': { message: 'txpool is full' },
  'a fee cap': { message: 'tx fee (2.00 ether) exceeds the configured cap (1.00 ether)' },
  'no funds, with the status of a gateway': {
    message: 'insufficient funds for gas * price + value',
    status: 502,
  },
  'a closed connection': 'cut',
  silence: 'silence',
  'the node’s answer, later than the caller waits': 'late',
};

const NO_FUNDS = { message: 'insufficient funds for gas * price + value' };

describe('a node of the chain that passes a transaction on and answers', () => {
  let anvil: Anvil;
  let gateway: Gateway;
  let running: RunningService;
  let ledger: LedgerClient;
  let signer: Signer;

  beforeEach(async () => {
    anvil = await startAnvil();
    gateway = await startGateway(anvil.url);
    const contract = await deployTimestamper(anvil.url);
    running = await runService({ ...settingsFor(gateway.url, contract), LEDGER_WAIT_S: '2' });
    ledger = ledgerClient(running.url);
    signer = await ledger.account();
  });
  afterEach(async () => {
    gateway.answerLate();
    await running.close();
    await gateway.close();
    await anvil.stop();
  });

  const create = (entity: object, key: string): Promise<ApiAnswer> =>
    ledger.ask(`POST ${ENTITIES}`, entity, { ...signer.headers, 'Idempotency-Key': key });
  /** The receipt of an operation, once it is answered with it. */
  const recorded = (entity: object, key: string): Promise<Receipt> =>
    eventually(
      async () => {
        const answer = await create(entity, key);
        return answer.status === 504 ? undefined : receiptIn(answer);
      },
      SOON_MS,
      () => `${key} is not answered with a receipt`,
    );
  const transactions = async (): Promise<number> =>
    Number(await anvil.rpc('eth_getTransactionCount', [signer.address, 'latest']));
  /** The receipts of an entity, once there is one. */
  const listed = (id: string): Promise<readonly Receipt[]> =>
    eventually(
      async () => {
        const receipts = await ledger.trace(id);
        return receipts.length > 0 ? receipts : undefined;
      },
      SOON_MS,
      () => `${id} is not listed`,
    );
  /** The hash of the transaction, with its receipt or while it is on its way. Fails for any other answer. */
  const hashIn = ({ status, body, text }: ApiAnswer): unknown => {
    expect(status, text).to.be.oneOf([200, 504]);
    expect(body['transactionHash'], text).to.match(/^0x[\da-f]{64}$/);
    return body['transactionHash'];
  };

  for (const [what, answers] of Object.entries(AFTER_PASSING_ON)) {
    it(`${what}: recorded once, for callers and for retries`, async () => {
      const [entity, other] = [building(), building()];
      gateway.become({ passesOn: true, answers, isBlind: true });
      const hash = hashIn(await create(entity, 'k1'));
      const receipts = await listed(entity.id);
      expect(receipts.map(({ transactionHash }) => transactionHash)).to.deep.equal([hash]);
      gateway.become(HONEST);
      expect(await recorded(entity, 'k1')).to.deep.equal(receipts[0]);
      await recorded(other, 'k2');
      expect(await ledger.trace(entity.id)).to.deep.equal(receipts);
      expect(await transactions()).to.equal(2);
    });
  }

  for (const what of [
    'a deadline of its own',
    'that its price is too low',
    'a closed connection',
    'silence',
  ]) {
    it(`${what}: recorded once where its block comes later`, async () => {
      await anvil.rpc('evm_setAutomine', [false]);
      const entity = building();
      gateway.become({ passesOn: true, answers: AFTER_PASSING_ON[what]!, isBlind: true });
      const answer = await create(entity, 'k1');
      expect(answer.status, answer.text).to.equal(504);
      const retried = await create(entity, 'k1');
      expect(retried.status, retried.text).to.equal(504);
      expect(hashIn(retried)).to.equal(hashIn(answer));
      expect(await ledger.trace(entity.id)).to.deep.equal([]);
      await anvil.rpc('evm_mine');
      const receipts = await listed(entity.id);
      expect(receipts.map(({ transactionHash }) => transactionHash)).to.deep.equal([hashIn(answer)]);
      expect(new Set(gateway.sent).size).to.equal(1);
      expect(await transactions()).to.equal(1);
    });
  }

  it('nothing at all, as it has lost the transaction: recorded once the gateway is well', async () => {
    for (const answers of ['cut', { message: 'context deadline exceeded' }] as const) {
      const entity = building();
      gateway.become({ passesOn: false, answers, isBlind: true });
      const answer = await create(entity, entity.id);
      expect(answer.status, answer.text).to.equal(504);
      gateway.become(HONEST);
      const receipts = await listed(entity.id);
      expect(receipts.map(({ transactionHash }) => transactionHash)).to.deep.equal([hashIn(answer)]);
    }
    expect(await transactions()).to.equal(2);
  });

  it('a refusal, though it has the transaction: recorded once', async () => {
    const entity = building();
    gateway.become({ passesOn: true, answers: NO_FUNDS });
    const receipt = await recorded(entity, 'k1');
    expect(await ledger.trace(entity.id)).to.deep.equal([receipt]);
    expect(await transactions()).to.equal(1);
  });

  it('a refusal, and has not passed it on: 502, nothing is recorded, and its nonce is the next one’s', async () => {
    const entity = building();
    gateway.become({ passesOn: false, answers: NO_FUNDS });
    const answer = await create(entity, 'k1');
    expect(answer.status, answer.text).to.equal(502);
    expect(answer.body['detail']).to.include('nothing was recorded');
    gateway.become(HONEST);
    const receipt = await recorded(entity, 'k1');
    expect(await ledger.trace(entity.id)).to.deep.equal([receipt]);
    expect(await transactions()).to.equal(1);
  });
});
