import { expect } from 'chai';
import { createSessions, SESSION_S, type Sessions } from '../../../src/console/sessions.js';
import { streamSession, streamViewer } from '../../../src/console/stream-access.js';
import { operatorAccess } from '../../../src/operator/guard.js';
import { viewers } from '../../../src/console/viewer.js';
import type { Session } from '../../../src/http/session.js';
import { type Identity, IdentityUnavailable } from '../../../src/identity/port.js';
import { eventStreamHandler } from '../../../src/operator/event-routes.js';
import { createEventStream, type EventStream } from '../../../src/operator/event-stream.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { edges, routes } from '../../http/edge.js';
import { type EventClient, openEvents } from '../../operator/event-client.js';

const OPERATOR_TOKEN = 'let-the-operators-in';
const TENANT = { tenant: { id: 'a1', name: 'acme' }, expiresAt: Number.MAX_SAFE_INTEGER };
const HOUR_MS = 60 * 60 * 1000;

describe('a live stream of the console', function () {
  const start = edges();
  let now: number;
  let checks: number;
  let verify: Identity['verify'];
  let stream: EventStream;
  let clients: EventClient[];

  beforeEach(() => {
    now = Date.parse('2026-11-01T12:00:00Z');
    checks = 0;
    verify = async () => TENANT;
    stream = createEventStream({ node: 'n', now: () => 0 });
    clients = [];
  });
  afterEach(async () => {
    for (const client of clients) await client.close();
    await stream.close();
  });

  /** Starts a node whose streams are checked every 10 ms, unless given otherwise. `isLocal`: without OPERATOR_TOKEN. */
  const node = async ({ everyMs = 10, isLocal = false } = {}) => {
    const operatorToken = isLocal ? undefined : OPERATOR_TOKEN;
    const identity: Identity = {
      verify(token) {
        checks += 1;
        return verify(token);
      },
      close: async () => undefined,
    };
    const secret = new Uint8Array(32).fill(7);
    const publicUrl = () => 'http://localhost';
    const sessions = createSessions({ secret, operatorToken, publicUrl, now: () => now });
    const access = operatorAccess(operatorToken, () => now);
    const find = viewers({ identity, operatorToken, operators: access, seen: async () => {} });
    const options = { find, sessions, now: () => now, everyMs };
    const tenants = eventStreamHandler(stream, () => ({ operator: false, tenant: 'a1' }));
    const operators = eventStreamHandler(stream, () => ({ operator: true }));
    const { url } = await start(
      [
        routes({
          'GET /stream': [streamViewer(options), tenants],
          'GET /operators': [streamSession(options), operators],
        }),
      ],
      { sessions: (req) => sessions.read(req) },
    );
    const read = async (headers: Record<string, string>, path = '/stream') => {
      const client = await openEvents(url + path, headers);
      clients.push(client);
      await client.next(({ type }) => type === 'hello');
      let isOpen = true;
      void client.ended.then(() => (isOpen = false));
      return { ended: client.ended, isOpen: () => isOpen };
    };
    return { sessions, read };
  };

  const begun = async (
    sessions: Sessions,
  ): Promise<{ readonly cookie: string; readonly session: Session }> => {
    const { sealed, session } = await sessions.open({ kind: 'tenant', token: 'good' });
    return { cookie: `mirzam_session=${sealed}`, session };
  };

  const opened = async (options?: Parameters<typeof node>[0]) => {
    const { sessions, read } = await node(options);
    const { cookie } = await begun(sessions);
    return read({ cookie });
  };

  const checked = (times: number): Promise<true> => {
    const before = checks;
    return eventually(
      () => (checks >= before + times ? true : undefined),
      SOON_MS,
      () => `${checks - before} checks`,
    );
  };

  it('ends with the token of its tenant', async () => {
    const { isOpen, ended } = await opened();
    await checked(3);
    expect(isOpen()).to.equal(true);
    verify = async () => undefined;
    await ended;
  });

  it('ends with a token that a header has shown', async () => {
    const { read } = await node();
    const { isOpen, ended } = await read({ 'x-auth-token': 'good' });
    await checked(3);
    expect(isOpen()).to.equal(true);
    verify = async () => undefined;
    await ended;
  });

  it('ends with its session', async () => {
    const { isOpen, ended } = await opened();
    await checked(3);
    expect(isOpen()).to.equal(true);
    now += SESSION_S * 1000 + 1;
    await ended;
  });

  it('ends with its session where a request without one is an operator’s', async () => {
    const { isOpen, ended } = await opened({ isLocal: true });
    await checked(3);
    expect(isOpen()).to.equal(true);
    now += SESSION_S * 1000 + 1;
    await ended;
  });

  it('is checked when its session expires, long before the next check is due', async () => {
    const { sessions, read } = await node({ everyMs: 2 * SESSION_S * 1000 });
    const { cookie, session } = await begun(sessions);
    now = session.endsAt - 20;
    for (const path of ['/stream', '/operators']) {
      const { ended } = await read({ cookie }, path);
      now = session.endsAt;
      await ended;
      now = session.endsAt - 20;
    }
  });

  it('ends when its session is ended, with all others of that session and no other', async () => {
    const { sessions, read } = await node({ everyMs: HOUR_MS });
    const one = await begun(sessions);
    const other = await begun(sessions);
    const near = { cookie: one.cookie };
    const ending = [await read(near), await read(near), await read(near, '/operators')];
    const staying = [await read({ cookie: other.cookie }), await read({ 'x-auth-token': 'good', ...near })];
    sessions.end(one.session);
    for (const { ended } of ending) await ended;
    expect(staying.map(({ isOpen }) => isOpen())).to.deep.equal([true, true]);
    expect(stream.readers).to.equal(2);
  });

  it('ends with a session that is ended while its token is checked', async () => {
    const { sessions, read } = await node({ everyMs: HOUR_MS });
    const { cookie, session } = await begun(sessions);
    verify = async () => {
      sessions.end(session);
      return TENANT;
    };
    const { ended } = await read({ cookie });
    await ended;
    expect(stream.readers).to.equal(0);
  });

  it('on another node goes on after a log out, until its session expires', async () => {
    const [here, there] = [await node(), await node()];
    const { cookie, session } = await begun(here.sessions);
    const [near, far] = [await here.read({ cookie }), await there.read({ cookie })];
    here.sessions.end(session);
    await near.ended;
    await checked(3);
    expect(far.isOpen()).to.equal(true);
    now = session.endsAt;
    await far.ended;
  });

  it('goes on while the identity service is away', async () => {
    const { isOpen } = await opened();
    verify = async () => {
      throw new IdentityUnavailable('away');
    };
    await checked(5);
    expect(isOpen()).to.equal(true);
  });
});
