import { expect } from 'chai';
import { turnBudget } from '../../src/system/turn-budget.js';

describe('the budget of a turn of the event loop', () => {
  it('lets pieces begin up to its cost, and the others in later turns, in their order', async () => {
    const turn = turnBudget(10);
    const begun: (string | number)[] = [];
    let isOver = false;
    const others = (): void => {
      begun.push('turn');
      if (!isOver) setImmediate(others);
    };
    setImmediate(others);
    const costs = [4, 4, 4, 30, 1, 9, 1, 0];
    const pieces = costs.map(async (cost, i) => {
      await turn(cost);
      begun.push(i);
    });
    await Promise.all(pieces);
    isOver = true;
    expect(
      begun
        .join(' ')
        .split('turn')
        .map((some) => some.trim()),
    ).to.deep.equal(['0 1', '2', '3', '4 5', '6 7']);
  });

  it('is whole again after a turn without a piece', async () => {
    const turn = turnBudget(10);
    await turn(10);
    await new Promise(setImmediate);
    const begun: string[] = [];
    setImmediate(() => begun.push('turn'));
    await turn(10);
    begun.push('piece');
    await new Promise(setImmediate);
    expect(begun).to.deep.equal(['piece', 'turn']);
  });
});
