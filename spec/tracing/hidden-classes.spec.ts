import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import type { ActorEvent, ActorKind } from '../../src/actors/kind.js';
import { startActors } from '../../src/actors/runtime.js';
import type { RequestSpan, Tracing } from '../../src/tracing/port.js';
import { memoryStore } from '../actors/stage/memory-store.js';
import { tally } from '../actors/stage/nodes.js';
import { type TallyEvent, tallyKind } from '../actors/stage/tally.js';
import { edges, ok, routes } from '../http/edge.js';

setFlagsFromString('--allow-natives-syntax');
const haveSameMap = runInNewContext('(one, other) => %HaveSameMap(one, other)') as (
  one: object,
  other: object,
) => boolean;
// V8 compiles a function at its first call.
haveSameMap({}, {});
setFlagsFromString('--no-allow-natives-syntax');

const CALLER = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Traces what has a parent. */
const tracing: Tracing = {
  request: (parent) => (parent === undefined ? undefined : span),
  start: (_name, _kind, parent) => (parent === undefined ? undefined : span),
  close: async () => {},
};
const span: RequestSpan = { traceparent: TRACEPARENT, rename: () => {}, end: () => {} };

// V8 compiles the code that all requests share for the hidden classes it sees. A traced one in a hundred would slow down all.
describe('what is traced has the hidden class of what is not', () => {
  const start = edges();

  it('as the state of a request', async () => {
    const states: object[] = [];
    const table = routes({
      'GET /': [
        (ctx, next) => {
          states.push(ctx.state);
          return next();
        },
        ok,
      ],
    });
    const { url } = await start([table], { tracing });
    await fetch(url);
    await fetch(url, { headers: { traceparent: CALLER } });
    expect(states.map((state) => (state as { trace?: string }).trace)).to.deep.equal([
      undefined,
      TRACEPARENT,
    ]);
    expect(haveSameMap(states[0]!, states[1]!)).to.equal(true);
  });

  it('as an event that an actor decides', async () => {
    const decided: ActorEvent[] = [];
    const kind: ActorKind = {
      ...tallyKind(() => Promise.reject(new Error('no effects'))),
      notes(event) {
        decided.push(event);
        return [];
      },
    };
    const actors = startActors({ store: memoryStore(), kinds: [kind], tracing });
    const author = { who: 'alice', via: 'console' };
    const add = (trace: string | undefined): Promise<unknown> =>
      actors.ask(tally('a'), { type: 'add', now: 0, amount: 1, author, trace } as TallyEvent);
    for (const trace of [undefined, CALLER]) await add(trace);
    await actors.close();
    expect(decided.map(({ trace }) => trace)).to.deep.equal([undefined, TRACEPARENT]);
    expect(haveSameMap(decided[0]!, decided[1]!)).to.equal(true);
  });
});
