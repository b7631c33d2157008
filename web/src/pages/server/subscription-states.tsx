import type { ServerRuleView } from '../../../../src/console/shapes.js';
import type { ExplainedState } from '../../../../src/policy/explain/shapes.js';
import { StateBadge } from '../../ui/badge.js';
import { Num } from '../../ui/number.js';

/** The states of a subscription's machine, each with its meaning. */
const MEANINGS: readonly (readonly [state: ExplainedState, meaning: string])[] = [
  ['filling', 'A window of its condition is not full: nothing is evaluated.'],
  ['calm', 'The condition did not hold in the last evaluation.'],
  ['pending', 'The condition holds, and the time of “for” is not over.'],
  ['firing', 'The condition holds, and the time of “for” is over, if it has one.'],
  ['noData', 'No measurement of the condition’s metrics came for the time of “noData”.'],
];

/** How many subscriptions of the shown rules are in which state, and what these states mean. */
export function SubscriptionStates({ rules }: { readonly rules: readonly ServerRuleView[] }) {
  const states = rules.flatMap(({ subscriptions }) => subscriptions.map(({ state }) => state));
  const present = MEANINGS.filter(([state]) => states.includes(state));
  if (present.length === 0) return null;
  return (
    <section class="subscription-states panel" aria-label="States of the subscriptions">
      <h3>Subscriptions</h3>
      <dl>
        {present.map(([state, meaning]) => (
          <div key={state}>
            <dt>
              <StateBadge state={state} />
            </dt>
            <dd class="num">
              <Num value={states.filter((one) => one === state).length} />
            </dd>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
