import { Problems } from '../../errors.js';
import { quoted } from '../../untrusted/text.js';

/** Longest path in a message, characters. */
const LONGEST_PATH = 200;

/** A place in a request, as a linked list of steps from the place up to the body; undefined is the body. */
export type Place = Step | undefined;

interface Step {
  readonly up: Place;
  /** A member's name or an element's index. */
  readonly to: string | number;
}

/** Returns the place of a member or an element of the value at `up`. */
export function below(up: Place, to: string | number): Step {
  return { up, to };
}

/** Collects the faults of a request with their places, so that one answer names them all. */
export class Faults {
  readonly #problems = new Problems();
  readonly #explained = new Set<string>();

  /** `what`: the rule that the value at this place breaks. */
  add(place: Place, what: string): void {
    this.#problems.add(() => pathTo(place), what);
  }

  /** As `add`. The explanation follows the first fault that has it: it would be the same for many. */
  addExplained(place: Place, what: string, explanation: string): void {
    this.add(place, this.#explained.has(explanation) ? what : what + explanation);
    this.#explained.add(explanation);
  }

  /** Throws `Refusal('bad-request')` that names the faults, if there are any. */
  refuse(): void {
    this.#problems.refuse();
  }
}

/** Returns a path such as `[3].location.value.coordinates`. */
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
