import { expect } from 'chai';
import { unavailable } from '../../../src/store/mongo/failure.js';
import { StoreUnavailable } from '../../../src/store/port.js';

describe('an error of MongoDB as the store’s', () => {
  it('says what was tried and why it failed, and keeps the cause', () => {
    const cause = new Error('connect ECONNREFUSED');
    const error = unavailable('MongoDB did not answer', cause);
    expect(error).to.be.instanceOf(StoreUnavailable);
    expect(error.message).to.equal('MongoDB did not answer: connection refused (connect ECONNREFUSED)');
    expect(error.cause).to.equal(cause);
  });

  it('does not tell the credentials of a connection string', () => {
    const cause = new Error('no host in mongodb://user:pass/word@db.example:27017/mirzam');
    expect(unavailable('MongoDB cannot be used', cause).message).to.equal(
      'MongoDB cannot be used: no host in mongodb://…@db.example:27017/mirzam',
    );
  });

  it('returns an error of the store as it is', () => {
    const error = new StoreUnavailable('hidden by later ones');
    expect(unavailable('MongoDB did not answer', error)).to.equal(error);
  });
});
