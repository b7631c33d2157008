import { expect } from 'chai';
import { NodeError } from '../../src/chain/exchange.js';
import { ChainUnavailable, type Sent } from '../../src/chain/port.js';
import { acceptedOf, sentOf } from '../../src/chain/send-answer.js';
import { GATEWAY_TEXTS, NODE_TEXTS } from './node-texts.js';
import { openScene } from './scene.js';

const meaningOf = (sent: Sent): string => {
  if (sent.is === 'refused') return `refused: ${sent.reason}`;
  return sent.is === 'unknown' ? `unknown: ${sent.why}` : sent.is;
};
const said = (text: string, code = -32_000): Sent => sentOf(new NodeError(code, text));

describe('an error to eth_sendRawTransaction', () => {
  for (const [meaning, texts] of Object.entries(NODE_TEXTS)) {
    for (const [node, text] of texts) {
      it(`of ${node}, "${text}", means ${meaning}`, () => {
        const sent = said(text);
        expect(meaningOf(sent)).to.equal(meaning);
        expect(sent).to.include(sent.is === 'sent' ? { known: true } : { detail: text });
      });
    }
  }

  for (const text of GATEWAY_TEXTS) {
    it(`that a gateway words "${text}" is not a refusal`, () => {
      expect(said(text)).to.include({ is: 'unknown', detail: text });
    });
  }

  it('above a limit, by its code, means that the node is busy', () => {
    expect(said('daily quota', -32_005)).to.include({ is: 'unknown', why: 'busy' });
    // Besu has the same code for a refusal.
    expect(said('Transaction gas limit exceeds block gas limit', -32_005)).to.include({ is: 'refused' });
  });

  it('is not a refusal if the node may have the transaction already', () => {
    const detail = 'insufficient funds for gas * price + value';
    const doubtful = new NodeError(-32_000, detail, false);
    expect(sentOf(doubtful)).to.deep.equal({ is: 'unknown', why: 'error', detail });
  });

  it('is told from a cut and from silence', () => {
    const error = new ChainUnavailable('nonce too low');
    expect(() => sentOf(error)).to.throw(error);
  });
});

describe("anvil's errors to a transaction", () => {
  it('have the meanings of the table', async () => {
    const scene = await openScene();
    await scene.node.rpc('evm_setAutomine', [false]);
    const answers = [
      scene.signed({ nonce: 0 }),
      scene.signed({ nonce: 0, number: 2 }),
      scene.signed({ nonce: 1, gasPrice: 1n }),
      scene.signed({ nonce: 1, gasLimit: 20_000n }),
      scene.signed({ nonce: 1, gasLimit: 50_000_000n }),
      { raw: '0x1234' as const },
    ].map(async ({ raw }) => meaningOf(await scene.chain.send(raw)));
    expect(await Promise.all(answers)).to.deep.equal([
      'sent',
      'unknown: replaced',
      'refused: funds',
      'refused: gas',
      'refused: gas-limit',
      'unknown: error',
    ]);
    await scene.close();
  });
});

describe('a result of eth_sendRawTransaction', () => {
  it('that is a hash says that the node has the transaction', () => {
    expect(acceptedOf(`0x${'aB'.repeat(32)}`)).to.deep.equal({ is: 'sent', known: false });
  });

  it('that is something else says nothing', () => {
    for (const result of [null, '', '0x', '0x12', {}, true]) {
      expect(acceptedOf(result)).to.include({ is: 'unknown', why: 'error' });
    }
  });
});
