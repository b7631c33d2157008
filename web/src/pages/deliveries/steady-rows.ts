/** A list that grows at its top while somebody reads it. */
export interface SteadyRows<T> {
  readonly rows: readonly T[];
  /** Number of rows that wait to be put on top. */
  readonly fresh: number;
}

/**
 * Returns the rows to show after a new answer, newest first. While the list is `held`, the shown rows stay where they are:
 * those in the answer are renewed, and new ones above them are counted. `before`: the rows shown so far.
 */
export function steadyRows<T extends { readonly id: string }>(
  before: readonly T[],
  answer: readonly T[],
  held: boolean,
): SteadyRows<T> {
  if (!held || before.length === 0) return { rows: answer, fresh: 0 };
  const known = new Set(before.map(({ id }) => id));
  const first = answer.findIndex(({ id }) => known.has(id));
  const renewed = new Map(answer.map((row) => [row.id, row]));
  return {
    rows: before.map((row) => renewed.get(row.id) ?? row),
    fresh: first === -1 ? answer.length : first,
  };
}
