import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { type Answered, ask } from '../../../http/admission/from-address.js';
import { FREE_CHAIN } from '../../../servers/chain.js';
import { apiClient } from '../../api-client.js';
import { openLedger } from '../scene.js';

const CALLERS = 5_000;
const ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];

describe('5,000 callers who wait for a block', () => {
  for (const [whence, from] of [
    ['one address', ['127.0.0.1']],
    ['several addresses', ADDRESSES],
  ] as const) {
    it(`lock nobody out of the rules (from ${whence}), and who is too many has recorded nothing`, async () => {
      const ledger = await openLedger({ LEDGER_WAIT_S: '120' }, [...FREE_CHAIN, '--no-mining']);
      try {
        const { url } = ledger;
        const api = await apiClient(url);
        expect((await api.call('GET', '/v1.0/demo/rules')).status).to.equal(200);
        const answers: Answered[] = [];
        const all = Array.from({ length: CALLERS }, async (_, i) => {
          const answer = await ask(`${url}/ngsi-ld/v1/entities/urn:a:${i}`, { from: from[i % from.length]! });
          answers.push(answer);
          return answer;
        });
        const pending = async (): Promise<number> => {
          const { pending: hex } = (await ledger.anvil.rpc('txpool_status')) as { pending: string };
          return Number(hex);
        };
        // Everybody is answered already, or has a transaction that waits for a block.
        await eventually(
          async () => (await pending()) + answers.length === CALLERS || undefined,
          2 * SOON_MS,
          () => `${answers.length} are answered`,
        );
        expect(answers.every(({ status }) => status === 503)).to.equal(true);
        for (const { body } of answers.slice(0, 5)) expect(body).to.contain('nothing was done');
        expect(CALLERS - answers.length, 'callers who wait').to.be.at.least(1_600);
        for (let i = 0; i < 20; i += 1)
          expect((await api.call('GET', '/v1.0/demo/rules')).status).to.equal(200);
        await ledger.anvil.rpc('evm_mine');
        await ledger.anvil.rpc('evm_setIntervalMining', [1]);
        const statuses = (await Promise.all(all)).map(({ status }) => status);
        expect(new Set(statuses)).to.deep.equal(new Set(answers.length === 0 ? [200] : [200, 503]));
      } finally {
        await ledger.close();
      }
    });
  }
});
