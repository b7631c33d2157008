import { expect } from 'chai';
import { createRpcBatcher } from '../../src/chain/rpc-batcher.js';

describe('calls to the node in batches', () => {
  it('that wait after calls whose time is over are sent nevertheless', async () => {
    const sent: string[][] = [];
    let release!: () => void;
    const call = createRpcBatcher(
      {
        exchange: async (requests) => {
          sent.push(requests.map(({ method }) => method));
          if (sent.length === 1) await new Promise<void>((resolve) => (release = resolve));
          return requests.map(({ method }) => method);
        },
        announces: () => false,
        late: () => undefined,
        close: () => undefined,
      },
      { batchSize: 2, maxUnanswered: 1, timeoutMs: 200 },
    );
    const late = ['a', 'b', 'c', 'd'].map((method) => call(method, []).catch((error: unknown) => error));
    await late[0];
    const last = call('e', []);
    for (const error of await Promise.all(late)) expect(error).to.be.an('error');
    release();
    expect(await last).to.equal('e');
    expect(sent).to.deep.equal([['a', 'b'], ['e']]);
  });
});
