import { type Document, isNode, type LineCounter } from 'yaml';
import { Problems } from '../../errors.js';

/** The problems of a file, each with the line of the member. */
export class PlacedProblems extends Problems {
  readonly lines: string[] = [];

  constructor(
    readonly file: string,
    private readonly document: Document,
    private readonly counter: LineCounter,
  ) {
    super();
  }

  override add(path: string | (() => string), what: string): void {
    const at = typeof path === 'string' ? path : path();
    this.lines.push(`${this.placeOf(at)}: ${at}: ${what}`);
  }

  /** Returns the file and the line of a member, as in `rules.yaml:3`. */
  placeOf(path: string): string {
    return `${this.file}:${this.#lineOf(path)}`;
  }

  /** Returns the line of a member; of one that is missing, the line of the object that lacks it. */
  #lineOf(path: string): number {
    for (let keys = keysOf(path); keys.length > 0; keys = keys.slice(0, -1)) {
      const node: unknown = this.document.getIn(keys, true);
      if (isNode(node) && node.range) return this.counter.linePos(node.range[0]).line;
    }
    return 1;
  }
}

/** Returns the keys in a path such as `servers["a.b"].rules[0].name`. */
function keysOf(path: string): readonly (string | number)[] {
  const keys = path.matchAll(/\["(?<quoted>[^"]*)"\]|\[(?<index>\d+)\]|(?<plain>[^.[\]]+)/g);
  return Array.from(keys, ({ groups = {} }) => {
    const { quoted, index, plain = '' } = groups;
    return index === undefined ? (quoted ?? plain) : Number(index);
  });
}
