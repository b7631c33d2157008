import { type Document, isMap, isNode, isScalar, type LineCounter } from 'yaml';
import { Problems } from '../../errors.js';

/** A path in a file, key by key. */
type Keys = readonly (string | number)[];

/** The problems of a file, each with the line and the column of the fault. */
export class PlacedProblems extends Problems {
  readonly lines: string[] = [];

  constructor(
    readonly file: string,
    private readonly document: Document,
    private readonly counter: LineCounter,
  ) {
    super();
  }

  override add(path: string | (() => string), what: string, unknown?: string): void {
    const at = typeof path === 'string' ? path : path();
    const keys = keysOf(at);
    const place = unknown === undefined ? this.#placeOfValue(keys) : this.#placeOfKey([...keys, unknown]);
    this.lines.push(`${place}: ${at}: ${what}`);
  }

  /** Adds the problem of a member that must not be there. */
  addMember(path: string, what: string): void {
    this.lines.push(`${this.#placeOfKey(keysOf(path))}: ${path}: ${what}`);
  }

  /** Adds what the parser found at an offset of the file. */
  addAt(offset: number, what: string): void {
    this.lines.push(`${this.#place(offset)}: ${what}`);
  }

  /** Returns the file, the line and the column of a value, as in `rules.yaml:3:5`. */
  placeOf(path: string): string {
    return this.#placeOfValue(keysOf(path));
  }

  /** Returns the place of a value; of one that is missing, that of the object that lacks it. */
  #placeOfValue(path: Keys): string {
    for (let keys = path; keys.length > 0; keys = keys.slice(0, -1)) {
      const node: unknown = this.document.getIn(keys, true);
      if (isNode(node) && node.range) return this.#place(node.range[0]);
    }
    return this.#place(this.document.contents?.range?.[0] ?? 0);
  }

  /** Returns the place of the name of a member. */
  #placeOfKey(path: Keys): string {
    const holder: unknown = this.document.getIn(path.slice(0, -1), true);
    const pair = isMap(holder)
      ? holder.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
      : undefined;
    return isNode(pair?.key) && pair.key.range ? this.#place(pair.key.range[0]) : this.#placeOfValue(path);
  }

  #place(offset: number): string {
    const { line, col } = this.counter.linePos(offset);
    return `${this.file}:${line}:${col}`;
  }
}

/** Returns the keys in a path such as `servers["a.b"].rules[0].name`. */
function keysOf(path: string): Keys {
  const keys = path.matchAll(/\["(?<quoted>[^"]*)"\]|\[(?<index>\d+)\]|(?<plain>[^.[\]]+)/g);
  return Array.from(keys, ({ groups = {} }) => {
    const { quoted, index, plain = '' } = groups;
    return index === undefined ? (quoted ?? plain) : Number(index);
  });
}
