interface Piece {
  readonly cost: number;
  readonly begin: () => void;
}

/**
 * Makes the function that pieces of work await before they begin, with what each costs (at least 1). It resolves at once, or in a
 * later turn of the event loop if the pieces of this one would cost more than `budget` together: other work then gets turns in
 * between. Pieces begin in the order of their calls. One that costs more than the budget gets a turn of its own.
 */
export function turnBudget(budget: number): (cost: number) => Promise<void> {
  let spent = 0;
  const waiting: Piece[] = [];
  const fits = (cost: number): boolean => spent === 0 || spent + cost <= budget;
  const nextTurn = (): void => {
    spent = 0;
    while (waiting.length > 0 && fits(waiting[0]!.cost)) {
      const { cost, begin } = waiting.shift()!;
      spent += cost;
      begin();
    }
    if (spent > 0) setImmediate(nextTurn);
  };
  return (asked) => {
    const cost = Math.max(1, asked);
    if (waiting.length > 0 || !fits(cost)) return new Promise((begin) => waiting.push({ cost, begin }));
    if (spent === 0) setImmediate(nextTurn);
    spent += cost;
    return Promise.resolve();
  };
}
