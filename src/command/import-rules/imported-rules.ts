import { LABEL_NAME, LONGEST_OPTION_S, ruleSchemas } from '../../policy/http/schemas.js';
import { validate } from '../../policy/http/validate.js';
import { Refusal } from '../../errors.js';
import type { RuleDraft } from '../../policy/rules/rule.js';
import { conditionOf, Untranslatable } from './alert-condition.js';
import { type Alert, type PrometheusRules, recordedBy } from './alerting-rules.js';
import { secondsOf } from './promql.js';
import { Supplies, type Supply } from './supplies.js';

/** A rule made of an alert. `notes`: where it differs from the alert. */
export interface ImportedRule {
  readonly alert: Alert;
  readonly rule: RuleDraft;
  readonly supplies: readonly Supply[];
  readonly notes: readonly string[];
}

/** What became of the alerts of some files. */
export interface Imported {
  readonly rules: readonly ImportedRule[];
  readonly refused: readonly { readonly alert: Alert; readonly reason: string }[];
  /** The metrics of all rules. */
  readonly supplies: readonly Supply[];
}

/** Alertmanager's default of `repeat_interval`, s. */
const REPEAT_S = 14_400;
const { ruleDraft } = ruleSchemas({ any: true, listed: [] });

/** Makes rules of the alerts of some files. `email`: who gets the mails. */
export function imported(files: readonly PrometheusRules[], email: string): Imported {
  const recorded = recordedBy(files.flatMap(({ recordings }) => recordings));
  const rules: ImportedRule[] = [];
  const refused: { alert: Alert; reason: string }[] = [];
  let supplies = new Supplies();
  for (const alert of files.flatMap(({ alerts }) => alerts)) {
    const tried = new Supplies(supplies.all);
    try {
      const made = conditionOf(alert.name, alert.expr, recorded, tried);
      const { labels, left } = labelsOf(alert);
      const rule = validate(ruleDraft, {
        name: nameOf(alert, new Set(rules.map((one) => one.rule.name))),
        condition: made.condition,
        ...holdPeriodOf(alert),
        repeat: REPEAT_S,
        resolve: true,
        ...(Object.keys(labels).length === 0 ? {} : { labels }),
        action: { actionName: 'notify-email', email, body: bodyOf(alert) },
      });
      rules.push({
        alert,
        rule,
        supplies: made.supplies,
        notes: [...made.notes, ...left, ...keptFiring(alert)],
      });
      supplies = tried;
    } catch (error) {
      if (!(error instanceof Untranslatable) && !(error instanceof Refusal)) throw error;
      refused.push({ alert, reason: error.message });
    }
  }
  return { rules, refused, supplies: supplies.all };
}

/** Returns the name of an alert; of one whose name is in use, with its severity or a number. */
function nameOf({ name, labels }: Alert, used: ReadonlySet<string>): string {
  if (!used.has(name)) return name;
  const severity = labels['severity'];
  const severe = typeof severity === 'string' ? `${name} (${severity})` : name;
  let found = severe;
  for (let i = 2; used.has(found); i += 1) found = `${severe} ${i}`;
  return found;
}

function holdPeriodOf(alert: Alert): { for?: number } {
  const given: unknown = alert.for ?? 0;
  const duration = secondsOf(String(given));
  if (duration === undefined) throw new Untranslatable('has "for" that is not a duration');
  const seconds = Math.ceil(duration);
  if (seconds > LONGEST_OPTION_S)
    throw new Untranslatable(`has "for" of more than ${LONGEST_OPTION_S} seconds, a week`);
  return seconds === 0 ? {} : { for: seconds };
}

function keptFiring({ keepFiringFor }: Alert): readonly string[] {
  if (keepFiringFor === undefined) return [];
  return [
    `keep_firing_for (${keepFiringFor}) has no equivalent. The closest is "clear" of a comparison, a second threshold.`,
  ];
}

const TEMPLATE = /\{\{[^]*?\}\}/;
const LABEL = new RegExp(`^${LABEL_NAME}$`);

/** Returns the labels that a rule can have, and a note for those that it cannot. */
function labelsOf({ labels }: Alert): { labels: Readonly<Record<string, string>>; left: readonly string[] } {
  const texts = Object.entries(labels).map(([name, value]) => [name, String(value)] as const);
  const isPlain = ([name, value]: readonly [string, string]): boolean =>
    LABEL.test(name) && !TEMPLATE.test(value);
  const left = texts.filter((one) => !isPlain(one)).map(([name]) => name);
  return {
    labels: Object.fromEntries(texts.filter(isPlain)),
    left:
      left.length === 0 ? [] : [`Labels left out, because their values are templates: ${left.join(', ')}.`],
  };
}

/** Annotations that become the text of the mail, in this order. */
const TEXTS = ['summary', 'message', 'description', 'runbook_url', 'runbook', 'dashboard_url'];

/** Returns the annotations as a text. A message of a rule names the server, and has the values: templates go. */
function bodyOf({ name, annotations }: Alert): string {
  const texts = TEXTS.map((one) => annotations[one]).filter((one) => typeof one === 'string');
  const lines = texts.flatMap((text) => text.split('\n')).map((line) => withoutTemplates(line));
  const kept = [...new Set(lines.filter((line) => line !== ''))];
  return kept.length === 0 ? name : kept.join('\n');
}

function withoutTemplates(line: string): string {
  const plain = line
    .replaceAll(/ *\([^()]*\{\{[^]*?\}\}[^()]*\)/g, '')
    .replaceAll(/\{\{-? *\$labels\.instance *-?\}\}/g, 'the server')
    .trim();
  // "VALUE = {{ $value }}"
  if (/^[A-Z ]+[=:] *\{\{[^]*\}\}$/.test(plain)) return '';
  return plain.replaceAll(/["']?\{\{[^]*?\}\}%?["']?/g, '…');
}
