import { expect } from 'chai';
import { deployTimestamper } from '../../src/embedded/chain/deploy.js';
import type { AccountView } from '../../src/operator/shapes.js';
import { type Gateway, HONEST, startGateway } from '../chain/gateway.js';
import { type ApiAnswer, request } from '../e2e/api-client.js';
import { building, ENTITIES, ledgerClient, type LedgerClient, settingsFor } from '../e2e/ledger/scene.js';
import { expectRefusal } from '../e2e/refusal.js';
import { type Scene, scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { reservedPort } from '../servers/ports.js';
import { type Anvil, startAnvil } from '../servers/chain.js';

const IN_NO_BLOCK = 'The node has it; it is in no block yet.';
const UNDERPRICED = { passesOn: false, answers: { message: 'transaction underpriced' } } as const;

interface Listing {
  readonly accounts: readonly AccountView[];
  readonly next: string | null;
}

async function listing(url: string, query = ''): Promise<Listing> {
  const answer = await request(`${url}/operator/accounts${query}`, 'GET');
  expect(answer.status, answer.text).to.equal(200);
  return answer.body as unknown as Listing;
}

describe('/operator/accounts', function () {
  const open = scenes();

  it('is empty without a ledger, and names a wrong parameter', async () => {
    const { url, api } = await open.service();
    expect(await listing(url)).to.deep.equal({ accounts: [], next: null });
    expectRefusal(await api.call('GET', '/operator/accounts?limit=0'), 400, 'limit');
    expectRefusal(await api.call('GET', '/operator/accounts?after=server/a/b'), 400, 'after');
    expectRefusal(await api.call('GET', '/operator/accounts?state=idle'), 400, 'limit, after');
  });

  describe('on a chain that mines no blocks', () => {
    let anvil: Anvil;
    let gateway: Gateway;
    let settings: Record<string, string>;
    let service: Scene;
    let ledger: LedgerClient;
    let asked: Promise<ApiAnswer | undefined>[];

    beforeEach(async () => {
      asked = [];
      anvil = open.keep(await startAnvil(), (part) => part.stop());
      gateway = open.keep(await startGateway(anvil.url), (part) => part.close());
      settings = {
        ...settingsFor(gateway.url, await deployTimestamper(anvil.url)),
        DATA_DIR: await open.folder(),
        LEDGER_WAIT_S: '5',
        GAS_BUMP_AFTER_S: '0',
      };
      await anvil.rpc('evm_setAutomine', [false]);
      await start();
    });

    async function start(): Promise<void> {
      service = await open.service(settings);
      ledger = ledgerClient(service.url);
    }

    function create(headers: Readonly<Record<string, string>>): void {
      asked.push(ledger.ask(`POST ${ENTITIES}`, building(), headers).catch(() => undefined));
    }

    /** Lists the one account until its pending nonces and their reasons are these. */
    async function until(reasons: readonly string[]): Promise<AccountView> {
      let last: readonly string[] = [];
      return eventually(
        async () => {
          const [account] = (await listing(service.url)).accounts;
          last = account?.open.map(({ nonce, why }) => `${nonce} ${why}`) ?? [];
          return last.length === reasons.length && last.every((one, n) => one === `${n} ${reasons[n]}`)
            ? account
            : undefined;
        },
        SOON_MS,
        () => `the pending nonces are ${last.join(' ')}`,
      );
    }

    it('shows each pending nonce and why it waits, before and after a restart, until a block has it', async () => {
      const { address, headers } = await ledger.account();
      const begun = Date.now();
      for (let n = 1; n < 20; n += 1) {
        create(headers);
        await until(Array<string>(n).fill(IN_NO_BLOCK));
      }
      // The others are sent again after a while.
      gateway.become({ ...UNDERPRICED, toNew: true });
      create(headers);
      const waiting = [...Array<string>(19).fill(IN_NO_BLOCK), 'The node answered: transaction underpriced.'];
      const remembered = await until(waiting);
      expect(remembered).to.deep.include({ chain: '1337', account: address, next: 20, free: [] });
      expect(new Set(remembered.open.map(({ transactionHash }) => transactionHash)).size).to.equal(20);
      expect(remembered.open[19])
        .to.deep.include({ replacements: [] })
        .and.to.have.property('attempts')
        .at.least(1);
      expect(Date.parse(remembered.open[0]!.since!)).to.be.within(begun, Date.now());
      expect((await Promise.all(asked)).map((answer) => answer?.status)).to.deep.equal(
        Array<number>(20).fill(504),
      );
      const { open: before, state } = await until(waiting);
      expect(state, 'actors of their own have the transactions').to.equal('idle');

      await service.close();
      const found = settings;
      settings = { ...found, CHAIN_RPC_URL: `http://127.0.0.1:${await reservedPort()}` };
      await start();
      await until(Array<string>(20).fill('The chain’s node was not reached since the start of the service.'));

      await service.close();
      settings = found;
      gateway.become(UNDERPRICED);
      await start();
      const behind = 'Waits for nonce 0; the node answered: transaction underpriced.';
      const { open: after } = await until([waiting[19]!, ...Array<string>(19).fill(behind)]);
      const hashes = (nonces: typeof after) => nonces.map(({ transactionHash }) => transactionHash);
      expect(hashes(after)).to.deep.equal(hashes(before));

      gateway.become(HONEST);
      await until(Array<string>(20).fill(IN_NO_BLOCK));
      await anvil.rpc('evm_setAutomine', [true]);
      await anvil.rpc('evm_mine');
      await until([]);
    });

    it('says that the node was not reached while a transaction was sent', async () => {
      const { headers } = await ledger.account();
      gateway.become({ passesOn: false, answers: 'cut' });
      create(headers);
      await until([
        "The chain's node cannot be reached: connection reset (read ECONNRESET); check CHAIN_RPC_URL.",
      ]);
      gateway.become(HONEST);
      await until([IN_NO_BLOCK]);
      await anvil.rpc('evm_setAutomine', [true]);
      await anvil.rpc('evm_mine');
      await Promise.all(asked);
    });

    it('lists the accounts in pages', async () => {
      const signers = await Promise.all([ledger.account(), ledger.account(), ledger.account()]);
      for (const { headers } of signers) create(headers);
      await gateway.untilSent(3);
      const seen: string[] = [];
      let query = '?limit=2';
      for (;;) {
        const { accounts, next } = await listing(service.url, query);
        expect(accounts.every(({ open: nonces }) => nonces.length === 1)).to.equal(true);
        seen.push(...accounts.map(({ account }) => account));
        if (next === null) break;
        query = `?limit=2&after=${encodeURIComponent(next)}`;
      }
      expect(seen).to.deep.equal(signers.map(({ address }) => address).toSorted());
      await anvil.rpc('evm_setAutomine', [true]);
      await anvil.rpc('evm_mine');
      await Promise.all(asked);
    });
  });
});
