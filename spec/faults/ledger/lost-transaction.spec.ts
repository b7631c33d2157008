import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import type { Hex } from '../../../src/chain/port.js';
import { decodeTransaction } from '../../../src/wallets/transaction-bytes.js';
import {
  building,
  ENTITIES,
  ledgerClient,
  type LedgerClient,
  receiptIn,
  settingsFor,
  type Signer,
} from '../../e2e/ledger/scene.js';
import type { ApiAnswer } from '../../e2e/api-client.js';
import { type Anvil, startAnvil } from '../../servers/chain.js';
import { type Gateway, type Habits, HONEST, startGateway } from '../../chain/gateway.js';
import { eventually, SOON_MS } from '../stage/eventually.js';
import { noncesOf } from './ledger-books.js';
import { type Launched, launcher, type Launcher } from '../stage/service-process.js';

/** Answers to a transaction that the node has, between which and the service's next step it is killed. */
const ANSWERS: Readonly<Record<string, Habits['answers']>> = {
  'no answer': 'silence',
  'a closed connection': 'cut',
  'an error of a gateway': { message: 'context deadline exceeded' },
  'the node’s answer': 'node',
};
const REFUSAL = { message: 'insufficient funds for gas * price + value' };

describe('kill -9 between a transaction and its answer', () => {
  let anvil: Anvil;
  let gateway: Gateway;
  let services: Launcher;
  let service: Launched & { readonly url: string };
  let ledger: LedgerClient;
  let signer: Signer;

  beforeEach(async () => {
    anvil = await startAnvil();
    gateway = await startGateway(anvil.url);
    const contract = await deployTimestamper(anvil.url);
    services = await launcher({ ...settingsFor(gateway.url, contract), LEDGER_WAIT_S: '2' });
    service = await services.start();
    ledger = ledgerClient(service.url);
    signer = await ledger.account('a');
    await anvil.rpc('evm_setAutomine', [false]);
  });
  afterEach(async () => {
    await services.close();
    await gateway.close();
    await anvil.stop();
  });

  const create = (entity: object, key: string): Promise<ApiAnswer> =>
    ledger.ask(`POST ${ENTITIES}`, entity, { ...signer.headers, 'Idempotency-Key': key });

  /** Has an operation sent, with this answer, and kills the service. Gives the bytes of the transaction. */
  async function sentAndKilled(entity: object, answers: Habits['answers']): Promise<Hex> {
    gateway.become({ passesOn: true, answers });
    const asked = create(entity, 'k1').catch(() => undefined);
    await gateway.untilSent(1);
    await service.kill('SIGKILL');
    await asked;
    return gateway.sent[0]!;
  }

  /** Starts the service again; its wallet has another address. */
  async function again(): Promise<void> {
    service = await services.start();
    ledger = ledgerClient(service.url);
    signer = await ledger.account('a');
  }

  /** Asks until there is a receipt. */
  const receiptOf = async (entity: object, key: string): Promise<Hex> => {
    let last: ApiAnswer | undefined;
    const answer = await eventually(
      async () => ((last = await create(entity, key)).status === 200 ? last : undefined),
      SOON_MS,
      () => `no receipt: ${last?.status} ${last?.text}`,
    );
    return receiptIn(answer).transactionHash;
  };

  const traced = async (id: string): Promise<readonly Hex[]> =>
    (await ledger.trace(id)).map(({ transactionHash }) => transactionHash);

  for (const [what, answers] of Object.entries(ANSWERS)) {
    it(`after ${what}: its block comes meanwhile, and it is recorded once`, async () => {
      const entity = building();
      const raw = await sentAndKilled(entity, answers);
      await anvil.rpc('evm_setAutomine', [true]);
      await anvil.rpc('evm_mine');
      gateway.become(HONEST);
      await again();
      const { hash } = decodeTransaction(raw);
      expect(await receiptOf(entity, 'k1')).to.equal(hash);
      expect(await traced(entity.id)).to.deep.equal([hash]);
      expect(await noncesOf(anvil.url, signer.address)).to.deep.equal([0]);
    });

    it(`after ${what}: one node has lost it and refuses it, and another node still has it`, async () => {
      const [entity, other] = [building(), building()];
      const raw = await sentAndKilled(entity, answers);
      await anvil.rpc('anvil_dropAllTransactions');
      gateway.become({ passesOn: false, answers: REFUSAL });
      await again();
      await gateway.untilSent(2);
      // The node that refuses takes what it is sent from now on.
      const refused = gateway.sent.length;
      await eventually(
        async () => {
          await create(entity, 'k1');
          return gateway.sent.length > refused ? true : undefined;
        },
        SOON_MS,
        () => 'the transaction is not sent again',
      );
      gateway.become(HONEST);
      const asked = create(other, 'k2').catch(() => undefined);
      await gateway.untilSent(gateway.sent.length + 1);
      // The other node has it in a block.
      await anvil.rpc('anvil_dropAllTransactions');
      await anvil.rpc('eth_sendRawTransaction', [raw]);
      await anvil.rpc('evm_setAutomine', [true]);
      await anvil.rpc('evm_mine');
      await asked;

      const { hash } = decodeTransaction(raw);
      expect(await receiptOf(entity, 'k1')).to.equal(hash);
      const second = await receiptOf(other, 'k2');
      expect(await traced(entity.id)).to.deep.equal([hash]);
      expect(await traced(other.id)).to.deep.equal([second]);
      expect(await noncesOf(anvil.url, signer.address)).to.deep.equal([0, 1]);
      const signed = gateway.sent.map((bytes) => decodeTransaction(bytes));
      const contents = new Set(signed.map(({ nonce, data }) => `${nonce} ${data}`));
      expect(contents.size, 'one content for each nonce').to.equal(2);
    });
  }
});
