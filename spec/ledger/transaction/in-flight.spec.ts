import { expect } from 'chai';
import type { Hex } from '../../../src/chain/port.js';
import type { Sending } from '../../../src/ledger/transaction/broadcast.js';
import { createInFlight } from '../../../src/ledger/transaction/in-flight.js';
import { rejectionOf } from '../../rejection.js';
import { unseenRejections } from '../../identity/unseen.js';
import { receiptIn, signedOperation } from '../driven-ledger.js';

const MINED: Sending = { is: 'mined', receipt: receiptIn(7) };

/** What is under way where sending ends so; what was sent, and what of that is wanted. */
function underWayThat(end: () => Promise<Sending>) {
  const sent: Hex[] = [];
  const isWanted: (() => boolean)[] = [];
  const inFlight = createInFlight(async ({ raw }, wanted) => {
    sent.push(raw);
    isWanted.push(wanted);
    return end();
  });
  return { inFlight, sent, wanted: () => isWanted.map((ask) => ask()) };
}

describe('what is under way', () => {
  const signed = signedOperation(3);
  const other = signedOperation(4, { raw: '0xf9' });

  it('is sent once, and taken once', async () => {
    const { inFlight, sent } = underWayThat(async () => MINED);
    const started = [inFlight.start(signed), inFlight.start(other)];
    expect(await inFlight.take(signed.hash)).to.equal(MINED);
    expect(inFlight.take(signed.hash)).to.equal(undefined);
    expect(await Promise.all(started)).to.deep.equal([MINED, MINED]);
    expect(await inFlight.take(other.hash), 'also when it is over').to.equal(MINED);
    expect(sent).to.deep.equal([signed.raw, other.raw]);
  });

  it('is nothing that nobody has started', () => {
    const { inFlight, sent } = underWayThat(async () => MINED);
    expect(inFlight.take(signed.hash)).to.equal(undefined);
    void inFlight.start(other);
    expect(inFlight.take(signed.hash)).to.equal(undefined);
    expect(sent).to.deep.equal([other.raw]);
  });

  it('is not wanted any more once it is dropped, unless somebody has taken it', () => {
    const { inFlight, wanted } = underWayThat(async () => MINED);
    void inFlight.start(signed);
    void inFlight.start(other);
    expect(wanted()).to.deep.equal([true, true]);
    void inFlight.take(signed.hash);
    inFlight.drop(signed.hash);
    inFlight.drop(other.hash);
    expect(wanted()).to.deep.equal([true, false]);
    expect(inFlight.take(other.hash)).to.equal(undefined);
  });

  it('fails for who takes it, and for nobody else', async () => {
    const fault = new Error('a fault of ours');
    const { inFlight } = underWayThat(() => Promise.reject(fault));
    const unseen = await unseenRejections(async () => {
      void inFlight.start(other);
      void inFlight.start(signed);
    });
    expect(unseen).not.to.include(fault);
    expect(await rejectionOf(inFlight.take(signed.hash)!)).to.equal(fault);
  });
});
