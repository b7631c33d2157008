import { isDeepStrictEqual } from 'node:util';
import { jsonOf } from '../../../src/untrusted/json.js';
import { oneOf, seeded } from '../../faults/stage/random.js';
import type { Vector } from './vectors.js';

/** A file and content of which one has another value than in a vector that is verified. */
export interface Mutation {
  /** What was changed, for people. */
  readonly what: string;
  readonly vector: Vector;
}

/** Operations that nothing on the chain tells apart. */
const ALIKE = [
  ['upsert', 'replace', 'notify'],
  ['create', 'update', 'query', 'retrieve'],
];

type Path = readonly (string | number)[];
type Container = Record<string | number, unknown>;

/** Makes mutations of vectors, always the same of one seed. */
export function mutationsOf(vectors: readonly Vector[], seed: number): () => Mutation {
  const random = seeded(seed);
  return () => {
    for (;;) {
      const vector = oneOf(random, vectors);
      const part = random() < 0.7 ? 'file' : 'content';
      const donor = oneOf(random, vectors);
      const changed =
        random() < 0.2 ? changedText(vector[part], random) : changedValue(vector[part], donor[part], random);
      // The change can make the donor of the vector.
      if ([vector, donor].some((known) => isSameValue(changed.text, known[part], part))) continue;
      return {
        what: `${vector.name}, ${part}: ${changed.what}`,
        vector: { ...vector, [part]: changed.text },
      };
    }
  };
}

/**
 * Two texts have the same value if they are the same JSON value. A file keeps its value here if only its operation changes, to one
 * that is alike.
 */
function isSameValue(a: string, b: string, part: 'file' | 'content'): boolean {
  const [one, other] = [a, b].map((text) => {
    const value = jsonOf(text.replace(/^\uFEFF/, '')) as Container | undefined;
    // -0 is 0.
    const plain = value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as Container);
    const operation = part === 'file' ? String(plain?.['operation']) : '';
    const alike = ALIKE.find((all) => all.includes(operation));
    return alike === undefined ? plain : { ...plain, operation: alike };
  });
  return one !== undefined && isDeepStrictEqual(one, other);
}

/** Changes a character of a text, also so that it is no JSON. */
function changedText(text: string, random: () => number) {
  const at = Math.floor(random() * text.length);
  const char = String.fromCodePoint(32 + Math.floor(random() * 95));
  const [before, after] = [text.slice(0, at), text.slice(at + 1)];
  const changed = oneOf(random, [before + after, before + char + after, before + char + text[at]! + after]);
  return { what: `the character ${at}, to ${JSON.stringify(changed.slice(at, at + 2))}`, text: changed };
}

/** Changes a value at a random place, or takes another one for it from the same place of `donor`. */
function changedValue(text: string, donor: string, random: () => number) {
  const value = parsed(text);
  const path = oneOf(random, pathsOf(value));
  const [parent, name] = [at(value, path.slice(0, -1)) as Container, path.at(-1)!];
  const old = parent[name];
  const other = at(parsed(donor), path);
  const kind = oneOf(random, ['own', 'own', 'own', 'transplant', 'replace', 'remove', 'add', 'swap']);
  if (kind === 'transplant' && other !== undefined) parent[name] = other;
  else if (kind === 'replace') {
    const values = [
      null,
      true,
      0,
      -1,
      1.5,
      '',
      '0x',
      [],
      {},
      [old],
      { old },
      JSON.stringify(old),
      2 ** 53,
      1e300,
    ];
    parent[name] = oneOf<unknown>(random, values);
  } else if (kind === 'remove') removed(parent, name);
  else if (kind === 'add') added(parent, name, random);
  else if (kind === 'swap') {
    const twin = oneOf(random, Object.keys(parent));
    [parent[name], parent[twin]] = [parent[twin], old];
  } else parent[name] = changedLeaf(old, random);
  return { what: `${kind} at ${path.join('.')}`, text: JSON.stringify(value) };
}

function changedLeaf(old: unknown, random: () => number): unknown {
  if (typeof old === 'number')
    return oneOf<unknown>(random, [old + 1, old - 1, -old, old * 10, old / 3, old + 256, String(old)]);
  if (typeof old !== 'string') return old === true ? false : [];
  const at = Math.floor(random() * old.length);
  const digit = Math.floor(random() * 16).toString(16);
  const [before, after] = [old.slice(0, at), old.slice(at + 1)];
  const rotated = old.slice(at) + old.slice(0, at);
  return oneOf(random, [
    before + digit + after,
    before + digit + after,
    before + after,
    before + digit + digit + old.slice(at),
    before,
    old.toUpperCase(),
    rotated,
    `${old} `,
    `${old}00`,
    old.slice(0, 2) + old.slice(4),
  ]);
}

function removed(parent: Container, name: string | number): void {
  if (Array.isArray(parent)) parent.splice(Number(name), 1);
  else delete parent[name];
}

function added(parent: Container, name: string | number, random: () => number): void {
  if (Array.isArray(parent))
    parent.splice(Number(name), 0, parent[oneOf(random, Object.keys(parent)) as never]);
  else parent[`${String(name)}${Math.floor(random() * 10)}`] = parent[name];
}

function parsed(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/, ''));
}

function at(value: unknown, path: Path): unknown {
  return path.reduce((found, name) => (found as Container | null | undefined)?.[name], value);
}

/** Returns the paths of all values in a value, its own left out. */
function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  const inside = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const below = inside.flatMap(([name, member]) => pathsOf(member, [...path, name]));
  return path.length === 0 ? below : [path, ...below];
}
