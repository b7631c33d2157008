import { expect } from 'chai';
import { Refusal } from '../../src/errors.js';
import { guessLimit } from '../../src/identity/guess-limit.js';

describe('guess limit', () => {
  let clock: number;
  // The traces of 250,000 refusals take most of the time.
  const { stackTraceLimit } = Error;
  before(() => void (Error.stackTraceLimit = 0));
  after(() => void (Error.stackTraceLimit = stackTraceLimit));
  beforeEach(() => {
    clock = 1_000_000;
  });
  const wrong = (): never => {
    throw new Refusal('unauthorized', 'no');
  };
  const open = () => {
    const limit = guessLimit(() => clock);
    /** The code of the refusal, or `right`. */
    const guess = (key: string, judge: () => unknown = wrong): string => {
      try {
        limit.limited([key], judge);
        return 'right';
      } catch (error) {
        return (error as Refusal).code;
      }
    };
    const retryAfter = (key: string): number | undefined => {
      try {
        limit.limited([key], wrong);
        return undefined;
      } catch (error) {
        return (error as Refusal).retryAfterS;
      }
    };
    return { guess, retryAfter };
  };
  const times = (count: number, what: () => unknown): void => {
    for (let i = 0; i < count; i += 1) what();
  };

  it('checks ten wrong guesses, then refuses all guesses without a check', () => {
    const { guess } = open();
    for (let i = 0; i < 10; i += 1) expect(guess('a')).to.equal('unauthorized');
    let looked = false;
    expect(guess('a', () => (looked = true))).to.equal('too-many-requests');
    expect(looked).to.equal(false);
    expect(guess('b', () => 'in')).to.equal('right');
  });

  it('refuses no longer after the clock was set back', () => {
    const { guess, retryAfter } = open();
    times(10, () => guess('a'));
    const wait = retryAfter('a')!;
    clock -= 3_600_000;
    expect(retryAfter('a')).to.equal(wait);
    clock += wait * 1000;
    expect(guess('a')).to.equal('unauthorized');
  });

  it('counts the same guess as the last one once, if it is told the guess', () => {
    const limit = guessLimit(() => clock);
    const code = (text: string): string => {
      try {
        limit.limited(['a'], wrong, text);
        return 'right';
      } catch (error) {
        return (error as Refusal).code;
      }
    };
    for (let i = 0; i < 50; i += 1) expect(code('old')).to.equal('unauthorized');
    for (let i = 1; i < 10; i += 1) expect(code(`other ${i}`)).to.equal('unauthorized');
    expect(code('one more')).to.equal('too-many-requests');
    expect(code('other 9')).to.equal('unauthorized');
    expect(code('old')).to.equal('too-many-requests');
  });

  it('then allows one guess every 30 s, as Retry-After says', () => {
    const { guess, retryAfter } = open();
    times(10, () => guess('a'));
    expect(retryAfter('a')).to.equal(30);
    clock += 20_000;
    expect(retryAfter('a')).to.equal(10);
    clock += 10_000;
    expect(guess('a')).to.equal('unauthorized');
    expect(guess('a')).to.equal('too-many-requests');
    clock += 300_000;
    for (let i = 0; i < 10; i += 1) expect(guess('a')).to.equal('unauthorized');
    expect(guess('a')).to.equal('too-many-requests');
  });

  it('resets a key on a right guess, and does not count other errors', () => {
    const { guess } = open();
    const broken = (): never => {
      throw new Refusal('bad-request', 'what?');
    };
    times(9, () => guess('a'));
    times(20, () => guess('a', broken));
    expect(guess('a', () => 'in')).to.equal('right');
    for (let i = 0; i < 10; i += 1) expect(guess('a')).to.equal('unauthorized');
  });

  it('keeps the count of one account through guesses at many others', () => {
    const { guess } = open();
    times(10, () => guess('first'));
    for (let i = 0; i < 50_000; i += 1) guess(`other ${i}`);
    expect(guess('first')).to.equal('too-many-requests');
    times(10, () => guess('last'));
    expect(guess('last')).to.equal('too-many-requests');
  });

  it('keeps 20,000 keys, and drops those with the fewest wrong guesses first', () => {
    const { guess } = open();
    times(9, () => guess('first'));
    for (let key = 0; key < 20_000; key += 1) times(10, () => guess(`other ${key}`));
    times(2, () => guess('first'));
    expect(guess('first')).to.equal('unauthorized');
    expect(guess('other 19999')).to.equal('too-many-requests');
  });

  it('counts checks in progress as wrong until they end', async () => {
    const limit = guessLimit(() => clock);
    const codeOf = (check: () => Promise<unknown>): Promise<string> =>
      limit.limitedLater(['a'], check).then(
        () => 'right',
        (error: unknown) => (error as Refusal).code,
      );
    const ends: (() => void)[] = [];
    const later = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    const guesses = Array.from({ length: 12 }, () => codeOf(later));
    expect(ends).to.have.length(10);
    for (const end of ends) end();
    const codes = await Promise.all(guesses);
    expect(codes.filter((code) => code === 'right')).to.have.length(10);
    expect(codes.filter((code) => code === 'too-many-requests')).to.have.length(2);
    const broken = async (): Promise<never> => {
      throw new Refusal('unavailable', 'the identity service is away');
    };
    for (let i = 0; i < 20; i += 1) expect(await codeOf(broken)).to.equal('unavailable');
    for (let i = 0; i < 10; i += 1) expect(await codeOf(async () => wrong())).to.equal('unauthorized');
    expect(await codeOf(async () => 'in')).to.equal('too-many-requests');
  });
});
