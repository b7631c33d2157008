import { expect } from 'chai';
import { mayEmit } from '../../src/chain/contract-code.js';
import { TOPIC } from '../../src/chain/timestamp-call.js';
import { TIMESTAMPER_BYTECODE } from '../../src/chain/timestamper.js';

const ADDRESS = '5fbd'.repeat(10);
const TOPIC_DIGITS = TOPIC.slice(2);
/** Metadata of solc: a CBOR map whose hash has the bytes of DELEGATECALL in it, and its length. */
const METADATA = `a2646970667358221220${'f4'.repeat(32)}64736f6c63430008190033`;

describe('the code of a contract', () => {
  for (const [what, code] of [
    ['of the Timestamper', TIMESTAMPER_BYTECODE],
    ['that has the topic anywhere', `0x7f${TOPIC_DIGITS}00`],
    ['of a minimal proxy (EIP-1167)', `0x363d3d373d3d3d363d73${ADDRESS}5af43d82803e903d91602b57fd5bf3`],
    [
      'of a proxy with a slot for its implementation (EIP-1967)',
      `0x7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc54365f5f375f5f365f845af43d5f5f3e3d5ff3`,
    ],
    ['that calls with CALLCODE', '0x5f5f5f5f5f5f5ff200'],
    ['of an account with another contract’s code (EIP-7702)', `0xef0100${ADDRESS}`],
  ] as const) {
    it(`${what} may emit the event`, () => expect(mayEmit(code)).to.equal(true));
  }

  for (const [what, code] of [
    ['of one instruction', '0x00'],
    ['of nothing', '0x'],
    ['that has the topic of another event', `0x7f${TOPIC_DIGITS.replace('a386', 'a387')}a3`],
    ['that has DELEGATECALL in the argument of a PUSH alone', '0x61f4f4600060f400'],
    ['that has DELEGATECALL in its metadata alone', `0x6000${METADATA}`],
    ['that ends within the argument of a PUSH', '0x7ff4'],
  ] as const) {
    it(`${what} cannot`, () => expect(mayEmit(code)).to.equal(false));
  }
});
