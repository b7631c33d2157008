import { expect } from 'chai';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { openChain } from '../../../src/chain/open.js';
import { type Probe, watchDependencies } from '../../../src/operator/health/dependency-watch.js';
import { chainProbe, connectionProbe, httpProbe, mailProbe } from '../../../src/operator/health/probes.js';
import type { DependencyState } from '../../../src/operator/shapes.js';
import { startMailServer } from '../../delivery/senders/mail-server.js';
import { startReceiver } from '../../delivery/senders/receiver.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { startRelay } from '../../servers/relay.js';
import { sharedAnvil } from '../../servers/shared-chain.js';

/** Of an address; no answer may hold it. */
const SECRET = 's3cret-0f-the-address';

describe('a dependency that can be down', () => {
  const open = scenes();
  const chain = sharedAnvil();

  /** Watches one dependency through a relay that can be cut. Checks it every 20 ms. */
  const watched = async (
    target: number,
    probeAt: (port: number) => Probe | Promise<Probe>,
    deadlineMs = 10_000,
  ) => {
    let relay = await startRelay(target);
    const { port } = relay;
    open.keep(undefined, () => relay.close());
    const changes: DependencyState[] = [];
    const watch = watchDependencies({
      probes: [await probeAt(port)],
      now: Date.now,
      onChange: (state) => changes.push(state),
      everyMs: 20,
      downEveryMs: 20,
      deadlineMs,
    });
    open.keep(watch, () => watch.close());
    const state = (): DependencyState => watch.states()[0]!;
    const until = (status: DependencyState['status']): Promise<DependencyState> =>
      eventually(
        () => (state().status === status && state().since !== null ? state() : undefined),
        SOON_MS,
        () => JSON.stringify(state()),
      );
    return {
      until,
      changes,
      cut: () => relay.close(),
      mend: async () => {
        relay = await startRelay(target, port);
      },
    };
  };

  type Watched = Awaited<ReturnType<typeof watched>>;

  /** Cuts the dependency off and mends it. Fails unless both are noticed; returns the detail. */
  const goesAndComesBack = async ({ until, changes, cut, mend }: Watched): Promise<string> => {
    expect((await until('up')).detail).to.equal(null);
    expect(changes).to.deep.equal([]);
    const before = Date.now();
    await cut();
    const down = await until('down');
    expect(Date.parse(down.since!)).to.be.within(before, Date.now());
    await mend();
    const back = await until('up');
    expect(back.detail).to.equal(null);
    expect(Date.parse(back.since!)).to.be.within(Date.parse(down.since!), Date.now());
    expect(changes.map(({ status }) => status)).to.deep.equal(['down', 'up']);
    expect(JSON.stringify(changes)).not.to.include(SECRET);
    return down.detail!;
  };

  it('is a broker: it accepts connections, and is asked nothing', async () => {
    const receiver = await startReceiver((response) => response.end());
    open.keep(receiver, () => receiver.stop());
    const part = await watched(receiver.port, (port) =>
      connectionProbe('broker', `http://127.0.0.1:${port}/v2?token=${SECRET}`),
    );
    expect(await goesAndComesBack(part)).to.match(/^127\.0\.0\.1:\d+ does not answer: [\w ]+/);
    await eventually(
      () => receiver.connections() > 1 || undefined,
      SOON_MS,
      () => `${receiver.connections()} connections`,
    );
    expect(receiver.got).to.deep.equal([]);
  });

  it('is an identity service: any answer below 500 is up', async () => {
    const receiver = await startReceiver((response) => response.writeHead(404).end('no such path'));
    open.keep(receiver, () => receiver.stop());
    const part = await watched(receiver.port, (port) =>
      httpProbe('identity', `http://127.0.0.1:${port}/v3?token=${SECRET}`),
    );
    expect(await goesAndComesBack(part)).to.match(/^127\.0\.0\.1:\d+ does not answer: [\w ]+/);
  });

  it('is down if it answers 5xx', async () => {
    const receiver = await startReceiver((response) => response.writeHead(503).end());
    open.keep(receiver, () => receiver.stop());
    const part = await watched(receiver.port, (port) => httpProbe('identity', `http://127.0.0.1:${port}`));
    expect((await part.until('down')).detail).to.match(/ answers 503$/);
  });

  it('is down if it does not answer in time, and the watch ends in spite of it', async () => {
    const receiver = await startReceiver(() => undefined);
    open.keep(receiver, () => receiver.stop());
    const probeAt = (port: number) => httpProbe('identity', `http://127.0.0.1:${port}`);
    const part = await watched(receiver.port, probeAt, 1_000);
    expect((await part.until('down')).detail).to.equal('no answer in 1 s');
  });

  it('is a mail server: it greets, and takes the login', async () => {
    const server = await startMailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      authOptional: true,
      onAuth: ({ username, password }, _session, done) =>
        done(password === SECRET ? null : new Error('wrong'), { user: username }),
    });
    open.keep(server, () => server.stop());
    const part = await watched(server.port, (port) =>
      mailProbe(`smtp://rules:${SECRET}@127.0.0.1:${port}`, 10_000),
    );
    expect(await goesAndComesBack(part)).to.match(/^127\.0\.0\.1:\d+ takes no mail: .+/);
    const refused = await watched(server.port, (port) =>
      mailProbe(`smtp://rules:${SECRET}-not@127.0.0.1:${port}`, 10_000),
    );
    const { detail } = await refused.until('down');
    expect(detail)
      .to.match(/takes no mail: Invalid login: 535 /)
      .and.not.include(SECRET)
      .and.not.include('rules');
  });

  it('is up with a warning, of which it is told when that changes, as when it is checked at out of turn', async () => {
    const part: { fault: Error | undefined; warning: string | undefined } = {
      fault: undefined,
      warning: undefined,
    };
    const changes: DependencyState[] = [];
    const watch = watchDependencies({
      probes: [
        {
          name: 'chain',
          check: () => (part.fault === undefined ? Promise.resolve() : Promise.reject(part.fault)),
          warning: () => part.warning,
        },
      ],
      now: Date.now,
      onChange: (state) => changes.push(state),
      everyMs: 3_600_000,
      downEveryMs: 3_600_000,
    });
    open.keep(watch, () => watch.close());
    const checked = async (times: number): Promise<readonly unknown[]> => {
      await eventually(
        () => changes.length === times || undefined,
        SOON_MS,
        () => JSON.stringify(changes),
      );
      return [changes.at(-1)!.status, changes.at(-1)!.warning, changes.at(-1)!.detail];
    };
    const first = (): true | undefined => watch.states()[0]!.since !== null || undefined;
    await eventually(first, SOON_MS, () => 'it is not checked at');
    part.warning = 'it cannot emit';
    watch.checkNow('chain');
    expect(await checked(1)).to.deep.equal(['up', 'it cannot emit', null]);
    part.fault = new Error('gone');
    watch.checkNow('chain');
    expect(await checked(2)).to.deep.equal(['down', undefined, 'gone']);
    Object.assign(part, { fault: undefined, warning: undefined });
    watch.checkNow('chain');
    expect(await checked(3)).to.deep.equal(['up', undefined, null]);
    expect(watch.states()[0]).not.to.have.property('warning');
  });

  it('is the node of a chain, with the contract', async () => {
    const { url } = chain();
    const contract = await deployTimestamper(url);
    const opened = async (port: number, address: typeof contract): Promise<Probe> => {
      const options = { gasPriceFactor: 1, gasLimit: undefined, finality: 12, now: Date.now };
      const node = await openChain({
        url: `http://127.0.0.1:${port}/?key=${SECRET}`,
        contract: address,
        ...options,
      });
      open.keep(node, () => node.close());
      return chainProbe(node, `127.0.0.1:${port}`);
    };
    const target = Number(new URL(url).port);
    const part = await watched(target, (port) => opened(port, contract));
    expect(await goesAndComesBack(part)).to.match(/^the node at 127\.0\.0\.1:\d+ does not answer/);
    const misfit = await watched(target, (port) => opened(port, `0x${'11'.repeat(20)}`));
    expect((await misfit.until('down')).detail).to.include('does not fit: There is no contract');
  });
});
