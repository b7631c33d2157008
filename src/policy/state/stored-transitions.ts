import { numberText } from './sentences.js';
import type { Transition } from './subscription-state.js';

/** Transitions as they are stored. Many of one fact have the same sentence, which is stored once. */
export interface StoredTransitions {
  /** Without repetitions, and with an exponent in numbers of more than 21 digits. */
  readonly sentences: readonly string[];
  /** Oldest first. */
  readonly transitions: readonly StoredTransition[];
}

/** A transition whose sentence is a place in the list of sentences. */
export type StoredTransition = Omit<Transition, 'sentence'> & { readonly sentence: number };

/** Returns transitions as they are stored. */
export function storedTransitions(all: readonly Transition[]): StoredTransitions {
  const places = new Map<string, number>();
  const transitions = all.map((transition): StoredTransition => {
    const place = places.get(transition.sentence) ?? places.size;
    places.set(transition.sentence, place);
    return { ...transition, sentence: place };
  });
  return { sentences: [...places.keys()].map(shortened), transitions };
}

/** Returns transitions that were stored. */
export function transitionsOf({ sentences, transitions }: StoredTransitions): readonly Transition[] {
  const texts = sentences.map(lengthened);
  return transitions.map((transition) => ({ ...transition, sentence: texts[transition.sentence]! }));
}

// A number of a sentence has no exponent, and up to 309 digits. No name of a metric begins with a digit.
const LONG_NUMBER = /(?<!\w)\d{22,}/g;
const SHORT_NUMBER = /(?<!\w)\d(?:\.\d+)?e\+\d+/g;

function shortened(sentence: string): string {
  return sentence.replace(LONG_NUMBER, (digits) => String(Number(digits)));
}

function lengthened(sentence: string): string {
  return sentence.replace(SHORT_NUMBER, (number) => numberText(Number(number)));
}
