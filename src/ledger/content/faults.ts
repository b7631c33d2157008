import { Refusal } from '../../errors.js';
import { quoted } from '../../http/quoted.js';

/** Most faults that one answer names. */
const SHOWN = 20;

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

/** Collects everything wrong with a request, so that one answer names it all. Texts are made for what is shown only. */
export class Faults {
  readonly #shown: string[] = [];
  #more = 0;

  /** `what` says what is allowed at this place. */
  add(place: Place, what: string): void {
    if (this.#shown.length < SHOWN) this.#shown.push(`${pathTo(place)}: ${what}`);
    else this.#more += 1;
  }

  /** Throws `Refusal('bad-request')` that names the faults, where there are any. */
  refuse(): void {
    if (this.#shown.length === 0) return;
    const more = this.#more > 0 ? `; and ${this.#more} more` : '';
    throw new Refusal('bad-request', this.#shown.join('; ') + more);
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
