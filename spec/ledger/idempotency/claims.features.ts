import { expect } from 'chai';
import type { Actors } from '../../../src/actors/kind.js';
import type { Chain, Hex } from '../../../src/chain/port.js';
import { keyAddress, accountAddress } from '../../../src/ledger/addresses.js';
import { createKeys, type HeldClaim, type Keys } from '../../../src/ledger/idempotency/keys.js';
import type { Claimed, KeyEvent } from '../../../src/ledger/idempotency/key-machine.js';
import type { Accepted, AccountContext, AccountEvent } from '../../../src/ledger/account/account-machine.js';
import type { Store } from '../../../src/store/port.js';
import { nodes } from '../../actors/stage/nodes.js';
import { until } from '../scene.js';
import type { Home, MakeHome } from '../../store/home.js';
import { ACCOUNT, CHAIN, ledgerKind, signedTransaction } from '../driven-ledger.js';

const KEY = { name: 'order-17', content: 'x' };
const WAIT_MS = 5_000;
/** Longer than a claim of another process is believed in. */
const AHEAD_MS = 20_000;

/** A process of the service, as far as its keys go. */
interface Process {
  readonly actors: Actors;
  readonly keys: Keys;
  readonly now: () => number;
}

/** Claims of an Idempotency-Key by two processes on one store, the clock of one being 20 s ahead. */
export function claimsFeatures(makeHome: MakeHome): void {
  const start = nodes();
  let home: Home;
  let ids = 0;
  let right: Process;
  let ahead: Process;
  /** Looks at what is stored when everything has happened. */
  let late: Process;

  beforeEach(async () => {
    home = await makeHome();
    const store = await home.open();
    [right, late] = [processOn(store, 0), processOn(store, 0)];
    ahead = processOn(store.shared ? await home.open() : store, AHEAD_MS);
  });
  afterEach(() => home.remove());

  function processOn(store: Store, aheadMs: number): Process {
    const chain = { name: CHAIN } as Chain;
    const kinds = ['key', 'account'].map((name) => ledgerKind(name, { chain }));
    const now = (): number => Date.now() + aheadMs;
    const { actors } = start({ store, kinds });
    const newId = (): string => `id${(ids += 1)}`;
    const keys = createKeys({
      actors,
      chain: { name: CHAIN },
      shared: store.shared,
      now,
      newId,
    });
    return { actors, keys, now };
  }

  const claimed = async ({ keys, now }: Process): Promise<HeldClaim> => {
    const outcome = await keys.claim(ACCOUNT, KEY, now() + WAIT_MS);
    if (!('claim' in outcome)) throw new Error('it was signed already');
    return outcome;
  };
  const release = ({ keys }: Process, { claim }: HeldClaim): Promise<void> =>
    keys.release(ACCOUNT, KEY.name, claim);
  /** Offers the account a signature for a claim. */
  const sign = ({ actors, now }: Process, { claim, since }: HeldClaim, nonce = 0): Promise<Accepted> => {
    const transaction = signedTransaction(nonce, { claim: { key: KEY.name, id: claim } });
    const event: AccountEvent = { type: 'signed', now: now(), transactions: [transaction], since: [since] };
    return actors.ask<Accepted>(accountAddress(CHAIN, ACCOUNT), event);
  };
  /** The end of a process between two steps of taking over. */
  const takeOverAndDie = ({ actors, now }: Process, from: HeldClaim): Promise<Claimed> => {
    const claim = { id: 'dead', node: 'dead', at: 0 };
    const event: KeyEvent = { type: 'takeOver', now: now(), from: from.claim, claim };
    return actors.ask<Claimed>(keyAddress(ACCOUNT, KEY.name), event);
  };
  const signedHashes = async ({ actors }: Process): Promise<Hex[]> => {
    const view = await actors.read<AccountContext>(accountAddress(CHAIN, ACCOUNT));
    return (view?.context.outbox ?? []).map(({ transaction }) => transaction.hash);
  };

  it('an earlier holder does not release a later claim', async () => {
    const first = await claimed(right);
    const second = await claimed(ahead);
    await release(ahead, second);
    const third = await claimed(ahead);
    await release(right, first);
    const key = await late.actors.read<{ claim: { id: string } }>(keyAddress(ACCOUNT, KEY.name));
    expect(key?.context.claim?.id, 'who holds the key').to.equal(third.claim);
    expect(await sign(right, first)).to.deep.include({ accepted: 0, fenced: true });
    expect(await sign(ahead, third)).to.deep.include({ accepted: 1 });
  });

  it('a signature for a claim is refused even if the process that took it over died before the fence', async () => {
    const first = await claimed(right);
    await takeOverAndDie(ahead, first);
    const third = await claimed(ahead);
    expect(await sign(right, first)).to.deep.include({ accepted: 0, fenced: true });
    expect(await sign(ahead, third)).to.deep.include({ accepted: 1 });
    expect(await signedHashes(late)).to.have.length(1);
  });

  it('a process that takes over finds the transaction that a dead process has signed', async () => {
    const first = await claimed(right);
    expect(await sign(right, first)).to.deep.include({ accepted: 1 });
    await takeOverAndDie(ahead, first);
    const hash = signedTransaction(0).hash;
    expect(await ahead.keys.claim(ACCOUNT, KEY, ahead.now() + WAIT_MS)).to.deep.equal({ chain: CHAIN, hash });
    expect(await signedHashes(late)).to.deep.equal([hash]);
  });

  it('a signature for a claim is refused even if its fence is so old that it is forgotten', async () => {
    const first = await claimed(right);
    const second = await claimed(ahead);
    for (let i = 0; i < 300; i += 1) {
      const event: AccountEvent = { type: 'fence', now: ahead.now(), claims: [`other ${i}`] };
      await ahead.actors.ask(accountAddress(CHAIN, ACCOUNT), event);
    }
    expect(await sign(right, first)).to.deep.include({ accepted: 0, fenced: true });
    await release(ahead, second);
    expect(await sign(ahead, await claimed(ahead))).to.deep.include({ accepted: 1 });
  });

  /** The end of the key's time to live. */
  const endOfTime = ({ actors }: Process): Promise<unknown> => {
    const wake: KeyEvent = { type: 'wake', now: Date.now() + 8 * 86_400_000 };
    return actors.ask(keyAddress(ACCOUNT, KEY.name), wake);
  };
  const keyState = async ({ actors }: Process): Promise<string | undefined> =>
    (await actors.read(keyAddress(ACCOUNT, KEY.name)))?.state;

  it('a signature for a claim is refused after the time to live of its key', async () => {
    const first = await claimed(right);
    await endOfTime(right);
    await until(async () => expect(await keyState(right)).to.equal(undefined));
    expect(await sign(right, first)).to.deep.include({ accepted: 0, fenced: true });
    const third = await claimed(ahead);
    expect(await sign(ahead, third)).to.deep.include({ accepted: 1 });
    expect(await signedHashes(late)).to.have.length(1);
  });

  it('a key finds the transaction that was signed before the end of its time to live', async () => {
    const first = await claimed(right);
    expect(await sign(right, first)).to.deep.include({ accepted: 1 });
    await endOfTime(right);
    await until(async () => expect(await keyState(right)).to.equal('signed'));
    const hash = signedTransaction(0).hash;
    expect(await ahead.keys.claim(ACCOUNT, KEY, ahead.now() + WAIT_MS)).to.deep.equal({ chain: CHAIN, hash });
  });
}
