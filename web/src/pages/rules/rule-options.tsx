import type { RuleOptionsView } from '../../../../src/policy/rules/shapes.js';
import { secondsText } from './seconds-text.js';

/**
 * When a rule notifies, `fires after 10 min, not repeated, notifies when resolved`, and its labels. Nothing for a rule of the
 * document.
 */
export function RuleOptions({ options }: { readonly options: RuleOptionsView }) {
  const text = ruleOptionsText(options);
  return text === '' ? null : <span class="quiet-text">{text}</span>;
}

function ruleOptionsText({ for: hold, repeat, resolve, noData, labels = {} }: RuleOptionsView): string {
  const parts = [
    hold !== undefined && (hold === 0 ? 'fires at once' : `fires after ${secondsText(hold)}`),
    repeat !== undefined && (repeat === 0 ? 'not repeated' : `again after ${secondsText(repeat)}`),
    resolve === true && 'notifies when resolved',
    noData !== undefined && `notifies when there is no data for ${secondsText(noData)}`,
    ...Object.entries(labels).map(([name, value]) => `${name}=${value}`),
  ];
  return parts.filter((part) => part !== false).join(', ');
}
