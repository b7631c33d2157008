import { expect } from 'chai';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { okBody } from '../actions.js';
import { factsBefore } from './taken.js';

/** Returns an entity with metrics, from one number to another. */
const entity = (id: string, from: number, to: number): object => ({
  id,
  type: 'host',
  ...Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`m${from + i}`, i])),
});

const WORDS = 'the elements have 1001 metrics together; send at most 1000 metrics of a server in one request';

describe('with METRICS=*, more than 1,000 metrics of a server in one request', () => {
  const open = scenes();
  const service = async () => {
    const { api } = await open.service({ METRICS: '*' });
    await api.call('GET', '/v1.0/demo');
    return api;
  };

  it('are 413 for operation 1, in one element or several', async () => {
    const api = await service();
    const send = (...data: readonly object[]) => api.call('POST', '/demo/servers/a', { data });
    expectRefusal(await send(entity('a', 0, 1_001)), 413, WORDS);
    expectRefusal(await send(entity('a', 0, 600), entity('a', 400, 1_001)), 413, WORDS);
    expect(okBody(await send(entity('a', 0, 1_000), entity('a', 0, 1_000)))).to.deep.include({ id: 2 });
  });

  it('are refused by facts by entity, and other servers have their facts', async () => {
    const api = await service();
    const send = (...data: readonly object[]) => api.call('POST', '/demo/notify', { data });
    const mixed = [entity('a', 0, 600), entity('b', 0, 1_000), entity('a', 400, 1_001), entity(' ', 0, 1)];
    const { refused, ...taken } = okBody(await send(...mixed)) as unknown as {
      readonly refused: readonly { readonly index: number; readonly id: string; readonly message: string }[];
    };
    expect(taken).to.deep.include({ facts: 1, servers: 1 });
    expect(refused.map(({ index, id }) => [index, id])).to.deep.equal([
      [0, 'a'],
      [2, 'a'],
      [3, ' '],
    ]);
    expect(refused[0]!.message).to.equal(`server a: body: ${WORDS}`);
    expect(await factsBefore(api, 'b')).to.equal(1);
    expectRefusal(await send(entity('a', 0, 1_001)), 413, 'server a', WORDS);
    expectRefusal(await send(entity('a', 0, 1_001), entity(' ', 0, 1)), 400, 'server a', 'data[1].id');
  });
});
