import type { SpeakingView } from '../../../../src/policy/rules/shapes.js';
import { secondsText } from './seconds-text.js';

/** When a rule speaks: `fires after 10 min, once a period, says when it is over`. Nothing for a rule of the document. */
export function Speaking({ speaking }: { readonly speaking: SpeakingView }) {
  const text = speakingText(speaking);
  return text === '' ? null : <span class="quiet-text">{text}</span>;
}

function speakingText({ for: held, repeat, resolve, noData }: SpeakingView): string {
  const parts = [
    held !== undefined && (held === 0 ? 'fires at once' : `fires after ${secondsText(held)}`),
    repeat !== undefined && (repeat === 0 ? 'once a period' : `again after ${secondsText(repeat)}`),
    resolve === true && 'says when it is over',
    noData !== undefined && `says when no data come for ${secondsText(noData)}`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}
