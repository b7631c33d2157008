import { Readable } from 'node:stream';
import { expect } from 'chai';
import { createSessions, SESSION_S } from '../../src/console/sessions.js';
import { stayingViewer } from '../../src/console/staying-viewer.js';
import { viewers } from '../../src/console/viewer.js';
import { type Identity, IdentityUnavailable } from '../../src/identity/port.js';
import { eventually } from '../faults/stage/eventually.js';
import { edges, routes } from '../http/edge.js';

const OPERATOR_TOKEN = 'let-the-operators-in';
const TENANT = { tenant: { id: 'a1', name: 'acme' }, expiresAt: Number.MAX_SAFE_INTEGER };
const SOON_MS = 5_000;

describe('a live stream of the console', () => {
  const start = edges();
  let now: number;
  let checks: number;
  let verify: Identity['verify'];

  beforeEach(() => {
    now = Date.parse('2026-11-01T12:00:00Z');
    checks = 0;
    verify = async () => TENANT;
  });

  /** Opens a stream with a tenant's session, whose viewer is checked every 10 ms. */
  const opened = async (): Promise<{ readonly isOpen: () => boolean; readonly ended: Promise<unknown> }> => {
    const identity: Identity = {
      verify(token) {
        checks += 1;
        return verify(token);
      },
      close: async () => undefined,
    };
    const sessions = createSessions({
      secret: new Uint8Array(32).fill(7),
      operatorToken: OPERATOR_TOKEN,
      publicUrl: () => 'http://localhost',
      now: () => now,
    });
    const read: typeof sessions.read = (req) => sessions.read(req);
    const find = viewers({ identity, operatorToken: OPERATOR_TOKEN, seen: async () => {} });
    const staying = stayingViewer({ find, sessions: read, everyMs: 10 });
    const { url } = await start(
      [
        routes({
          'GET /stream': [
            staying,
            (ctx) => {
              ctx.body = new Readable({ read: () => undefined });
              ctx.flushHeaders();
            },
          ],
        }),
      ],
      { sessions: read },
    );
    const { sealed } = await sessions.open({ kind: 'tenant', token: 'good' });
    const response = await fetch(`${url}/stream`, { headers: { cookie: `mirzam_session=${sealed}` } });
    expect(response.status).to.equal(200);
    let isOpen = true;
    const ended = response.text().catch(() => undefined);
    void ended.then(() => (isOpen = false));
    return { isOpen: () => isOpen, ended };
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
    const stream = await opened();
    await checked(3);
    expect(stream.isOpen()).to.equal(true);
    verify = async () => undefined;
    await stream.ended;
  });

  it('ends with its session', async () => {
    const stream = await opened();
    await checked(3);
    now += SESSION_S * 1000 + 1;
    await stream.ended;
  });

  it('goes on while the identity service is away', async () => {
    const stream = await opened();
    verify = async () => {
      throw new IdentityUnavailable('away');
    };
    await checked(5);
    expect(stream.isOpen()).to.equal(true);
  });
});
