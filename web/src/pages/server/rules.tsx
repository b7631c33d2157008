import { useState } from 'preact/hooks';
import type { ServerRuleView, ServerView } from '../../../../src/console/shapes.js';
import { Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Section } from '../../ui/page.js';
import { Id, nameText } from '../../ui/text.js';
import { ActionText } from '../rules/action-text.js';
import { conditionText } from '../rules/condition-text.js';
import { RuleOptions } from '../rules/rule-options.js';
import { RuleButtons, ServerButtons } from './rule-actions.js';
import { SubscriptionRow } from './subscription-row.js';

/** Rules that are shown before the viewer asks for all. */
const SHOWN = 20;

/** A server with its rules. */
export interface RulesProps {
  readonly server: ServerView;
  /** Called after a change. */
  readonly changed: () => void;
}

/** The rules of a server, each with why it fires or does not fire. */
export function Rules({ server, changed }: RulesProps) {
  const { rules, ruleCount } = server;
  const [all, showAll] = useState(false);
  return (
    <Section title="Rules" actions={<ServerButtons server={server} changed={changed} />}>
      {rules.length === 0 ? (
        <Empty
          title="No rule is used here"
          text="A rule of this server, or a subscription to a rule of its tenant, appears here with the reason why it fires or does not."
        />
      ) : (
        <ul class="rules">
          {rules.slice(0, all ? undefined : SHOWN).map((rule) => (
            <li key={rule.ruleId}>
              <RuleCard server={server} rule={rule} changed={changed} />
            </li>
          ))}
        </ul>
      )}
      {!all && rules.length > SHOWN ? (
        <div class="button-row">
          <Button onClick={() => showAll(true)}>Show {rules.length} rules</Button>
        </div>
      ) : (
        <Rest
          shown={rules.length}
          count={ruleCount}
          what="rules are shown: those that fire, then others with subscriptions, then the newest"
        />
      )}
    </Section>
  );
}

function RuleCard({ server, rule, changed }: RulesProps & { readonly rule: ServerRuleView }) {
  const { name, generic, condition, options, action, sentence, subscriptions, subscriptionCount } = rule;
  return (
    <article class="rule panel" aria-label={`Rule ${nameText(name)}`}>
      <header class="rule-head">
        <h3>
          <Id text={name} />
        </h3>
        <span class="condition">{conditionText(condition)}</span>
        <RuleOptions options={options} />
        <span class="quiet-text">
          <ActionText action={action} />
        </span>
        {generic && <span class="tag">rule of the tenant</span>}
        <RuleButtons server={server} rule={rule} changed={changed} />
      </header>
      {sentence !== null && (
        <div class="why">
          <StateBadge state="unwatched" text="not subscribed" />
          <p class="sentence">{sentence}</p>
        </div>
      )}
      {subscriptions.map((subscription) => (
        <SubscriptionRow
          key={subscription.subscriptionId}
          server={server}
          rule={rule}
          subscription={subscription}
          changed={changed}
        />
      ))}
      <Rest
        shown={subscriptions.length}
        count={subscriptionCount}
        what="subscriptions are shown, the first ones"
      />
    </article>
  );
}

/** Says how many more there are than the page shows. */
function Rest(props: { readonly shown: number; readonly count: number; readonly what: string }) {
  const { shown, count, what } = props;
  if (count <= shown) return null;
  return (
    <p class="search-note">
      {shown} of {count.toLocaleString('en')} {what}. The policy API has the others.
    </p>
  );
}
