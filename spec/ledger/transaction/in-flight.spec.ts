import { expect } from 'chai';
import type { Hex } from '../../../src/chain/port.js';
import type { Sending } from '../../../src/ledger/transaction/broadcast.js';
import { createUnderWay } from '../../../src/ledger/transaction/in-flight.js';
import { rejectionOf } from '../../identity/rejection.js';
import { unseenRejections } from '../../identity/unseen.js';
import { receiptIn, signedOperation } from '../driven-ledger.js';

const MINED: Sending = { is: 'mined', receipt: receiptIn(7) };

/** What is under way where sending ends so; what was sent, and what of that is wanted. */
function underWayThat(end: () => Promise<Sending>) {
  const sent: Hex[] = [];
  const isWanted: (() => boolean)[] = [];
  const underWay = createUnderWay(async ({ raw }, wanted) => {
    sent.push(raw);
    isWanted.push(wanted);
    return end();
  });
  return { underWay, sent, wanted: () => isWanted.map((ask) => ask()) };
}

describe('what is under way', () => {
  const signed = signedOperation(3);
  const other = signedOperation(4, { raw: '0xf9' });

  it('is sent once, and taken once', async () => {
    const { underWay, sent } = underWayThat(async () => MINED);
    const started = [underWay.start(signed), underWay.start(other)];
    expect(await underWay.take(signed.hash)).to.equal(MINED);
    expect(underWay.take(signed.hash)).to.equal(undefined);
    expect(await Promise.all(started)).to.deep.equal([MINED, MINED]);
    expect(await underWay.take(other.hash), 'also when it is over').to.equal(MINED);
    expect(sent).to.deep.equal([signed.raw, other.raw]);
  });

  it('is nothing that nobody has started', () => {
    const { underWay, sent } = underWayThat(async () => MINED);
    expect(underWay.take(signed.hash)).to.equal(undefined);
    void underWay.start(other);
    expect(underWay.take(signed.hash)).to.equal(undefined);
    expect(sent).to.deep.equal([other.raw]);
  });

  it('is not wanted any more once it is dropped, unless somebody has taken it', () => {
    const { underWay, wanted } = underWayThat(async () => MINED);
    void underWay.start(signed);
    void underWay.start(other);
    expect(wanted()).to.deep.equal([true, true]);
    void underWay.take(signed.hash);
    underWay.drop(signed.hash);
    underWay.drop(other.hash);
    expect(wanted()).to.deep.equal([true, false]);
    expect(underWay.take(other.hash)).to.equal(undefined);
  });

  it('fails for who takes it, and for nobody else', async () => {
    const fault = new Error('a fault of ours');
    const { underWay } = underWayThat(() => Promise.reject(fault));
    const unseen = await unseenRejections(async () => {
      void underWay.start(other);
      void underWay.start(signed);
    });
    expect(unseen).not.to.include(fault);
    expect(await rejectionOf(underWay.take(signed.hash)!)).to.equal(fault);
  });
});
