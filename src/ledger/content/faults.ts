import { Problems } from '../../errors.js';
import { quoted } from '../../untrusted/text.js';

/** Characters of a path that a message shows at most. */
const LONGEST_PATH = 200;

/** Where something stands in a request: the last step of the way down to it; undefined is the body itself. */
export type Place = Step | undefined;

interface Step {
  readonly up: Place;
  /** A member's name or an element's index. */
  readonly to: string | number;
}

/** The place of a member or an element of what stands at `up`. */
export function below(up: Place, to: string | number): Step {
  return { up, to };
}

/** Collects everything wrong with a request by its place, so that one answer names it all. */
export class Faults {
  readonly #problems = new Problems();

  /** `what` says what is allowed at this place. */
  add(place: Place, what: string): void {
    this.#problems.add(() => pathTo(place), what);
  }

  /** Throws `Refusal('bad-request')` that names the faults, where there are any. */
  refuse(): void {
    this.#problems.refuse();
  }
}

/** As in `[3].location.value.coordinates`. */
function pathTo(place: Place): string {
  const steps: string[] = [];
  for (let at = place; at !== undefined; at = at.up) steps.push(stepText(at.to, at.up === undefined));
  const path = steps.toReversed().join('');
  if (path === '') return 'body';
  const half = LONGEST_PATH / 2;
  return path.length > LONGEST_PATH ? `${path.slice(0, half)}…${path.slice(-half)}` : path;
}

function stepText(to: string | number, first: boolean): string {
  if (typeof to === 'number') return `[${to}]`;
  if (!/^[\w@-]{1,100}$/.test(to)) return `[${quoted(to)}]`;
  return first ? to : `.${to}`;
}
