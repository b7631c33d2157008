import { expect } from 'chai';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { edges, routes } from '../edge.js';
import { type Answered, ask, messageOf } from './from-address.js';
import { holding } from './holding.js';

const MINE = '127.0.0.1';
const OTHER = '127.0.0.2';

describe('the admission of long answers', () => {
  const start = edges();
  const named: EdgeMiddleware = (ctx, next) => {
    ctx.state.permit.countForTenant(ctx.params['tenant']!, true);
    return next();
  };
  /** The limit is five of these answers. */
  const LONG = 100_000;
  const long: EdgeMiddleware = (ctx, next) => {
    ctx.state.permit.reserveAnswer(LONG);
    return next();
  };
  const open = async () => {
    const held = holding();
    const table = routes({
      'GET /long': [long, held.stay],
      'GET /token/:tenant/long': [named, long, held.stay],
      'GET /short': (ctx) => {
        ctx.state.permit.reserveAnswer(1_000);
        ctx.body = {};
      },
    });
    const { url } = await start([table], {
      admission: { maxInFlight: 1_000, answerCharacters: 5 * LONG, exempt: [] },
    });
    const fill = async (path: string, from: string, count: number) => {
      const answers: Promise<Answered>[] = [];
      for (let i = 0; i < count; i += 1) {
        const before = held.inside();
        answers.push(ask(url + path, { from }));
        const arrived = async () => held.inside() > before || undefined;
        await eventually(arrived, SOON_MS, () => `answer ${i} of ${path} is not held`);
      }
      return () => Promise.all(answers);
    };
    return { url, held, fill };
  };

  it('counts them for a client address until they are sent, and leaves room for others', async () => {
    const { url, held, fill } = await open();
    for (let round = 0; round < 3; round += 1) {
      const mine = await fill('/long', MINE, 3);
      const refused = await ask(`${url}/long`, { from: MINE });
      expect(refused.status).to.equal(503);
      expect(messageOf(refused)).to.contain('wait to be read');
      expect((await ask(`${url}/short`, { from: MINE })).status).to.equal(200);
      const theirs = await fill('/long', OTHER, 1);
      held.go();
      for (const { status } of [...(await mine()), ...(await theirs())]) expect(status).to.equal(200);
    }
  });

  it('counts them for a tenant, and leaves room for others at the same address', async () => {
    const { url, held, fill } = await open();
    await fill('/token/a/long', MINE, 2);
    expect((await ask(`${url}/token/a/long`, { from: MINE })).status).to.equal(503);
    const other = await fill('/token/b/long', MINE, 1);
    held.go();
    for (const { status } of await other()) expect(status).to.equal(200);
  });
});
