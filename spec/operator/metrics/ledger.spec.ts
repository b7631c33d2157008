import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { building, ENTITIES, ledgerClient, settingsFor } from '../../e2e/ledger/scene.js';
import { scenes } from '../../e2e/scene.js';
import { type Anvil, startAnvil } from '../../servers/chain.js';
import { scrape, scrapeUntil } from '../scrape.js';

describe('the metrics of the ledger', function () {
  const open = scenes();

  const service = async (anvil: Anvil) => {
    const settings = settingsFor(anvil.url, await deployTimestamper(anvil.url));
    return open.service({ ...settings, LEDGER: 'on', LEDGER_WAIT_S: '5', GAS_BUMP_AFTER_S: '0' });
  };

  it('are absent without a ledger', async () => {
    const { url } = await open.service();
    const { text } = await scrape(url);
    expect(text).not.to.match(/mirzam_(?:receipts|open_nonce|accounts|transactions|chain)/);
  });

  it('tell pending nonces with their age, accounts, receipts, and the chain’s newest block', async () => {
    const anvil = await open.keep(startAnvil(), async (started) => (await started).stop());
    const { url } = await service(anvil);
    const ledger = ledgerClient(url);
    const { headers } = await ledger.account();
    const before = await scrape(url);
    expect(before.sum('mirzam_receipts_total')).to.equal(0);
    expect(before.sum('mirzam_open_nonces')).to.equal(0);
    expect(before.sum('mirzam_open_nonce_age_seconds')).to.equal(0);
    expect(before.sum('mirzam_chain_blocks_behind')).to.equal(0);
    expect(before.sum('mirzam_chain_reorganisations_total')).to.equal(0);

    await anvil.rpc('evm_setAutomine', [false]);
    const waits = ledger.ask(`POST ${ENTITIES}`, building(), headers);
    const waiting = await scrapeUntil(url, ({ sum }) => {
      expect(sum('mirzam_open_nonces')).to.equal(1);
      expect(sum('mirzam_open_nonce_age_seconds')).to.be.above(0.1);
      expect(sum('mirzam_transactions', { state: 'sending' })).to.equal(1);
    });
    expect((await waits).status).to.equal(504);
    expect(waiting.sum('mirzam_accounts')).to.equal(1);

    const minedAt = Date.now() / 1000;
    await anvil.rpc('evm_mine');
    const after = await scrapeUntil(url, ({ sum }) => {
      expect(sum('mirzam_receipts_total')).to.equal(1);
      expect(sum('mirzam_open_nonces')).to.equal(0);
      expect(sum('mirzam_transactions', { state: 'sending' })).to.equal(0);
      expect(sum('mirzam_chain_head_block')).to.equal(before.sum('mirzam_chain_head_block')! + 1);
    });
    const now = Date.now() / 1000;
    expect(after.sum('mirzam_accounts', { state: 'idle' })).to.equal(1);
    expect(after.sum('mirzam_chain_head_timestamp_seconds')).to.be.within(minedAt, now);
    expect(after.sum('mirzam_chain_answer_timestamp_seconds')).to.be.within(minedAt, now);
  });

  it('count reorganisations', async () => {
    const anvil = await open.keep(startAnvil(), async (started) => (await started).stop());
    const { url } = await service(anvil);
    const ledger = ledgerClient(url);
    const { headers } = await ledger.account();
    expect((await ledger.ask(`POST ${ENTITIES}`, building(), headers)).status).to.equal(200);
    // The block that takes the transaction's place lacks it.
    await anvil.rpc('evm_setAutomine', [false]);
    await anvil.rpc('anvil_reorg', [1, []]);
    await scrapeUntil(url, ({ sum }) => expect(sum('mirzam_chain_reorganisations_total')).to.equal(1));
  });
});
