import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import {
  createEventStream,
  type EventStream,
  type EventStreamLimits,
} from '../../src/operator/event-stream.js';
import { type EventScope, eventStreamHandler } from '../../src/operator/event-routes.js';
import pino from 'pino';
import { createApp } from '../../src/http/app.js';
import { listen } from '../../src/http/server.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { type Edge, edges, errorIn, ok, routes } from '../http/edge.js';
import { type EventClient, openEvents } from './event-client.js';

const BIG = 'x'.repeat(200_000);

describe('an event stream', () => {
  const start = edges();
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  /** Starts an edge with a stream at `/events`, where `?server=tenant` makes the reader a tenant. */
  async function open(limits: Partial<EventStreamLimits> = {}, options: Parameters<typeof start>[1] = {}) {
    const clock = { now: 0 };
    const stream = createEventStream({ node: 'n', now: () => clock.now, limits: { flushMs: 1, ...limits } });
    closing.push(() => stream.close());
    let scope: EventScope = { operator: true };
    const edge: Edge = await start(
      [routes({ 'GET /events': eventStreamHandler(stream, () => scope), 'GET /t': ok })],
      options,
    );
    const read = async (query = '', headers = {}): Promise<EventClient> => {
      const client = await openEvents(`${edge.url}/events${query}`, headers);
      closing.push(() => client.close());
      await client.next(({ type }) => type === 'hello');
      return client;
    };
    const as = (other: EventScope): void => {
      scope = other;
    };
    return { stream, clock, edge, read, as };
  }

  function publish(stream: EventStream, n: number, tenant?: string, text = ''): void {
    const data = () => ({ n, text });
    stream.publish({ type: tenant === undefined ? 'fault' : 'firing', tenant, server: 's', size: 1, data });
  }

  /** Opens a stream with a connection that reads nothing. */
  async function stalled(edge: Pick<Edge, 'port'>): Promise<Socket> {
    const socket = connect(edge.port, '127.0.0.1');
    closing.push(async () => socket.destroy());
    await once(socket, 'connect');
    socket.pause();
    socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return socket;
  }

  it('cuts off a reader that is too slow, while another one gets every event', async () => {
    const { stream, edge, read } = await open();
    const quick = await read();
    const slow = await stalled(edge);
    await eventually(
      () => (stream.readers === 2 ? true : undefined),
      SOON_MS,
      () => 'the slow one is not there',
    );
    let sent = 0;
    await eventually(
      async () => {
        publish(stream, (sent += 1), 'a', BIG);
        await quick.next(({ data }) => data['n'] === sent);
        return stream.readers === 1 ? true : undefined;
      },
      SOON_MS,
      () => 'it is still there',
    );
    expect(quick.all.slice(1).map(({ data }) => data['n'])).to.deep.equal(
      Array.from({ length: sent }, (_, n) => n + 1),
    );
    slow.on('error', () => undefined);
    slow.resume();
    await once(slow, 'close');
  });

  it('keeps the newest events, and tells a reader that lacks others to read everything again', async () => {
    const { stream, read } = await open({ events: 10 });
    for (let n = 1; n <= 30; n += 1) publish(stream, n, 'a');
    const known = await read('?lastEventId=n-20');
    await known.next(({ data }) => data['n'] === 30);
    expect(known.all[0]!.data).to.deep.equal({ resumed: true });
    expect(known.all).to.have.length(11);
    const behind = await read('?lastEventId=n-19');
    expect(behind.all[0]!.data).to.deep.equal({ resumed: false });
    for (let n = 31; n <= 60; n += 1) publish(stream, n, 'a');
    for (const reader of [known, behind]) {
      const hello = await reader.next(({ type }) => type === 'hello');
      expect(hello).to.deep.include({ id: 'n-60', data: { resumed: false } });
    }
    publish(stream, 61, 'a');
    await known.next(({ data }) => data['n'] === 61);
  });

  it('bounds the characters of the events that it keeps', async () => {
    const { stream, read } = await open({ characters: 5 });
    for (let n = 1; n <= 8; n += 1) publish(stream, n, 'a');
    expect((await read('?lastEventId=n-3')).all[0]!.data).to.deep.equal({ resumed: true });
    expect((await read('?lastEventId=n-2')).all[0]!.data).to.deep.equal({ resumed: false });
    stream.publish({ type: 'fault', tenant: 'a', server: undefined, size: 6, data: () => ({}) });
    expect((await read('?lastEventId=n-8')).all[0]!.data).to.deep.equal({ resumed: false });
    expect((await read('?lastEventId=n-9')).all[0]!.data).to.deep.equal({ resumed: true });
  });

  it('tells a reader to read everything again rather than send it more at once than it may leave unread', async () => {
    const { stream, read } = await open({ unread: 500_000 });
    for (let n = 1; n <= 3; n += 1) publish(stream, n, 'a', BIG);
    const client = await read('?lastEventId=n-0');
    const again = await client.next(({ type }) => type === 'hello');
    expect(again).to.deep.include({ id: 'n-3', data: { resumed: false } });
    expect(stream.readers).to.equal(1);
  });

  it('makes the text of an event once for all readers, and not at all without a reader', async () => {
    const { stream, read } = await open();
    let made = 0;
    const data = (): object => ({ n: (made += 1) });
    const event = { type: 'firing', tenant: 'a', server: 's', size: 1, data } as const;
    stream.publish(event);
    expect(made).to.equal(0);
    const readers = await Promise.all([read(), read('?tenant=a'), read('?tenant=a&server=s')]);
    stream.publish(event);
    for (const reader of readers) await reader.next(({ type }) => type === 'firing');
    expect(made).to.equal(1);
  });

  it('shows a tenant the events of the tenant alone, and no faults, whatever it asks for', async () => {
    const { stream, read, as } = await open();
    as({ operator: false, tenant: 'a' });
    const readers = await Promise.all([read(), read('?tenant=b'), read('?lastEventId=n-0')]);
    for (const [n, tenant] of ['a', 'b', undefined, 'a'].entries()) publish(stream, n, tenant);
    for (const reader of readers) {
      await reader.next(({ data }) => data['n'] === 3);
      expect(reader.all.slice(1).map(({ data }) => data['n'])).to.deep.equal([0, 3]);
    }
  });

  it('shows live bytes on a silent stream, which outlives the idle time of connections and moves its place on', async () => {
    const { stream, read } = await open({ heartbeatMs: 20 }, { idleTimeoutMs: 150 });
    const client = await read('?tenant=a');
    publish(stream, 1, 'b');
    const begun = performance.now();
    await eventually(
      () => (performance.now() - begun > 600 || stream.readers === 0 ? true : undefined),
      SOON_MS,
      () => 'never',
    );
    expect(stream.readers).to.equal(1);
    expect(client.text).to.include(': alive\nid: n-1\n\n');
    expect(client.all).to.have.length(1);
  });

  it('ends after its longest time, so that credentials are checked again', async () => {
    const { clock, read } = await open({ heartbeatMs: 5, longestMs: 1_000 });
    const client = await read();
    clock.now += 1_000;
    await client.ended;
  });

  it('holds no permit of the requests, and forgets a reader that leaves', async () => {
    const { stream, edge, read } = await open({}, { admission: { maxInFlight: 1, exempt: [] } });
    const [one, other] = [await read(), await read()];
    expect((await fetch(`${edge.url}/t`)).status).to.equal(200);
    await one.close();
    await other.close();
    await eventually(
      () => (stream.readers === 0 ? true : undefined),
      SOON_MS,
      () => 'still there',
    );
  });

  it('has a limit of readers, of which one tenant gets half', async () => {
    const { edge, read, as } = await open({ readers: 4 });
    const refused = async (): Promise<void> => {
      const answer = await fetch(`${edge.url}/events`);
      expect(answer.status).to.equal(503);
      expect((await errorIn(answer)).message).to.include('at most 4');
    };
    as({ operator: false, tenant: 'a' });
    await Promise.all([read(), read()]);
    await refused();
    as({ operator: true });
    await Promise.all([read(), read()]);
    await refused();
  });

  it('ends all readers when it closes, and takes no more', async () => {
    const { stream, edge, read } = await open();
    const client = await read();
    await stream.close();
    await client.ended;
    expect((await fetch(`${edge.url}/events`)).status).to.equal(503);
  });

  it('holds up no stop for a reader that leaves something unread', async () => {
    const { stream } = await open({ unread: 1024 ** 3 });
    const app = createApp({
      log: pino({ level: 'silent' }),
      routes: routes({ 'GET /events': eventStreamHandler(stream, () => ({ operator: true })) }),
      challenge: () => 'Keystone uri="http://identity.example"',
      admission: { maxInFlight: 10, exempt: [] },
      observe: () => undefined,
    });
    const server = await listen(app, { host: '127.0.0.1', port: 0 });
    closing.push(() => server.close(0));
    await stalled(server);
    await eventually(
      () => (stream.readers === 1 ? true : undefined),
      SOON_MS,
      () => 'it is not there',
    );
    const client = await openEvents(`${server.url}/events`);
    // More than the operating system takes for a connection.
    for (let n = 1; n <= 100; n += 1) publish(stream, n, 'a', BIG);
    await client.next(({ data }) => data['n'] === 100);
    await client.close();
    const begun = performance.now();
    await Promise.all([stream.close(), server.close(60_000)]);
    expect(performance.now() - begun).to.be.below(50_000);
  });
});
