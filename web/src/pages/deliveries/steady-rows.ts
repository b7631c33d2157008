/**
 * Returns the rows to show after a new answer, newest first, and the number of `fresh` ones that wait to be put on top. While
 * the list is `held`, the shown rows stay where they are: those in the answer are renewed, those that left the list go, and
 * new ones above them are counted. `before`: the rows shown so far. `next`: the id at which the answer ends; null at the end of
 * the list.
 */
export function steadyRows<T extends { readonly id: string }>(
  before: readonly T[],
  answer: readonly T[],
  held: boolean,
  next: string | null,
) {
  if (!held || before.length === 0) return { rows: answer, fresh: 0 };
  const known = new Set(before.map(({ id }) => id));
  const first = answer.findIndex(({ id }) => known.has(id));
  const renewed = new Map(answer.map((row) => [row.id, row]));
  // What is older than the end of the answer was pushed out of the page, and is still in the list.
  const isInList = ({ id }: T): boolean => renewed.has(id) || (next !== null && id < next);
  return {
    rows: before.filter(isInList).map((row) => renewed.get(row.id) ?? row),
    fresh: first === -1 ? answer.length : first,
  };
}
