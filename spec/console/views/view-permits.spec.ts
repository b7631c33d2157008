import { expect } from 'chai';
import { viewPermits } from '../../../src/console/views/view-permits.js';
import type { EdgeContext, Viewer } from '../../../src/http/context.js';
import { Refusal } from '../../../src/errors.js';

const A: Viewer = { kind: 'tenant', tenantId: 'a', tenantName: 'a' };
const B: Viewer = { kind: 'tenant', tenantId: 'b', tenantName: 'b' };
const OPERATOR: Viewer = { kind: 'operator' };

describe('permits of views', () => {
  it('are few at the same time, and tenants get them in turn', async () => {
    const { ask, begun, end } = stage(2, 100);
    for (let i = 1; i <= 4; i += 1) void ask(`a${i}`, A);
    void ask('b1', B);
    void ask('b2', B);
    void ask('o1', OPERATOR);
    await settled();
    expect(begun).to.deep.equal(['a1', 'a2']);
    for (let i = 0; i < 5; i += 1) await end();
    expect(begun).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'o1', 'a4', 'b2']);
  });

  it('pass to the next one after a failure', async () => {
    const { ask, begun, end } = stage(1, 100);
    const failing = ask('a1', A);
    void ask('a2', A);
    await end(new Error('no'));
    expect(await failing).to.be.instanceOf(Error);
    expect(begun).to.deep.equal(['a1', 'a2']);
    await end();
    void ask('a3', A);
    await settled();
    expect(begun).to.deep.equal(['a1', 'a2', 'a3']);
  });

  it('are not taken by a client that is gone', async () => {
    const { ask, begun, end } = stage(1, 100);
    void ask('a1', A);
    const gone = ask('a2', A, { closed: true });
    void ask('a3', A);
    await end();
    expect(await gone).to.equal(undefined);
    expect(begun).to.deep.equal(['a1', 'a3']);
  });

  it('are refused to a tenant that has as many waiting as are free, and not to another one', async () => {
    const { ask, begun, end } = stage(1, 4);
    void ask('a1', A);
    const answers = ['a2', 'a3', 'a4'].map((name) => ask(name, A));
    expect(await answers[2])
      .to.be.instanceOf(Refusal)
      .and.have.property('code', 'unavailable');
    void ask('b1', B);
    for (let i = 0; i < 3; i += 1) await end();
    expect(begun).to.have.members(['a1', 'a2', 'a3', 'b1']);
  });
});

/** A route with views that last until `end`. */
function stage(atOnce: number, maxWaiting: number) {
  const permit = viewPermits(atOnce, maxWaiting);
  const begun: string[] = [];
  const running: ((error?: Error) => void)[] = [];
  return {
    begun,
    /** Resolves with the error of a view that failed. */
    ask: async (name: string, viewer: Viewer, res = { closed: false }): Promise<unknown> => {
      const ctx = { state: { viewer, client: '127.0.0.1' }, res } as unknown as EdgeContext;
      const view = (): Promise<void> =>
        new Promise((resolve, reject) => {
          begun.push(name);
          running.push((error) => (error === undefined ? resolve() : reject(error)));
        });
      try {
        await permit(ctx, view);
        return undefined;
      } catch (error) {
        return error;
      }
    },
    /** Ends the view that has begun first. */
    end: async (error?: Error): Promise<void> => {
      await settled();
      running.shift()?.(error);
      await settled();
    },
  };
}

/** Resolves once everything that waits for no end of a view has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
