import fc from 'fast-check';

/** Values of members by name. */
export type Values = ReadonlyMap<string, readonly unknown[]>;

/** Returns all values of members in some objects. */
export function valuesIn(objects: readonly object[]): Values {
  const values = new Map<string, unknown[]>();
  const collect = (value: unknown): void => {
    for (const [key, member] of membersOf(value)) {
      const name = Array.isArray(value) ? '[]' : key;
      const known = values.get(name);
      if (known === undefined) values.set(name, [member]);
      else known.push(member);
      collect(member);
    }
  };
  for (const object of objects) collect(object);
  return values;
}

/**
 * Copies of objects with up to three members changed: to the value of another member of the same name, to the next
 * number, or to nothing. Top-level members in `keep` stay.
 */
export function mutated(
  objects: fc.Arbitrary<object>,
  values: Values,
  keep: readonly string[] = [],
): fc.Arbitrary<object> {
  const change = fc.record({ member: fc.nat(), value: fc.nat(), how: fc.nat(5) });
  return fc.tuple(objects, fc.array(change, { maxLength: 3 })).map(([object, changes]) => {
    const copy = structuredClone(object);
    for (const { member, value, how } of changes) {
      const places = placesIn(copy).filter(({ holder, key }) => holder !== copy || !keep.includes(key));
      const place = places[member % places.length];
      if (place !== undefined) mutate(place, values, value, how);
    }
    return copy;
  });
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function mutate({ holder, key }: Place, values: Values, pick: number, how: number): void {
  const now = holder[key];
  if (how === 0) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else holder[key] = undefined;
  } else if (how < 3 && typeof now === 'number') {
    holder[key] = now + 2 * how - 3;
  } else {
    const others = values.get(Array.isArray(holder) ? '[]' : key) ?? [];
    const same = others.filter((other) => Array.isArray(other) === Array.isArray(now));
    if (same.length > 0) holder[key] = structuredClone(same[pick % same.length]);
  }
}

function placesIn(value: unknown): Place[] {
  return membersOf(value).flatMap(([key, member]) => [
    { holder: value as Record<string, unknown>, key },
    ...placesIn(member),
  ]);
}

function membersOf(value: unknown): [string, unknown][] {
  return value === null || typeof value !== 'object' ? [] : Object.entries(value);
}
