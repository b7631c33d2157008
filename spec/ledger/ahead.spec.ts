import { expect } from 'chai';
import { ChainUnavailable } from '../../src/chain/port.js';
import type { Hex, Sent } from '../../src/chain/port.js';
import { createAhead } from '../../src/ledger/ahead.js';
import { rejectionOf } from '../identity/rejection.js';
import { CHAIN, signedOperation } from './driven-ledger.js';

const SENT: Sent = { is: 'sent' };

/** A node that notes what it is sent. */
function nodeThat(answer: () => Promise<Sent>) {
  const asked: Hex[] = [];
  const send = async (raw: Hex): Promise<Sent> => {
    asked.push(raw);
    return answer();
  };
  return { asked, chain: { name: CHAIN, send } };
}

describe('what is sent ahead', () => {
  const signed = signedOperation(3);

  it('is told once what the node said', async () => {
    const { asked, chain } = nodeThat(async () => SENT);
    const ahead = createAhead(chain);
    ahead.send(CHAIN, signed);
    expect(await ahead.take(signed.hash)).to.deep.equal(SENT);
    expect(ahead.take(signed.hash)).to.equal(undefined);
    expect(asked).to.deep.equal([signed.raw]);
  });

  it('is nothing that nobody has sent', () => {
    const { chain } = nodeThat(async () => SENT);
    expect(createAhead(chain).take(signed.hash)).to.equal(undefined);
  });

  it('fails for who takes it, and for nobody else', async () => {
    const { chain } = nodeThat(() => Promise.reject(new ChainUnavailable('away')));
    const ahead = createAhead(chain);
    // Left alone, it must not end the process.
    ahead.send(CHAIN, signedOperation(4));
    ahead.send(CHAIN, signed);
    expect(await rejectionOf(ahead.take(signed.hash)!)).to.be.instanceOf(ChainUnavailable);
  });

  it('never goes to another chain than it was signed for', async () => {
    const { asked, chain } = nodeThat(async () => SENT);
    const ahead = createAhead(chain);
    ahead.send('1', signed);
    expect(await rejectionOf(ahead.take(signed.hash)!)).to.be.instanceOf(Error);
    expect(asked).to.deep.equal([]);
  });

  it('is forgotten in the end where nobody asks', async () => {
    const { chain } = nodeThat(async () => SENT);
    const ahead = createAhead(chain);
    for (let nonce = 0; nonce <= 10_000; nonce += 1) ahead.send(CHAIN, signedOperation(nonce));
    expect(ahead.take(signedOperation(0).hash)).to.equal(undefined);
    expect(await ahead.take(signedOperation(1).hash)).to.deep.equal(SENT);
  });
});
