import type { ServerRuleView } from '../../../../src/console/shapes.js';
import type { HistoryView, TransitionView } from '../../../../src/policy/explain/shapes.js';
import { useQuery } from '../../query.js';
import { Answer, Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { Table } from '../../ui/table.js';
import { Id, Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';

interface HistoryProps {
  /** Path of the history in the API. */
  readonly path: string;
  readonly serverId: string;
  /** The rules that still exist. */
  readonly rules: readonly ServerRuleView[];
}

/** The transitions of a server, newest first. */
export function History({ path, serverId, rules }: HistoryProps) {
  const query = useQuery<HistoryView, 'transition'>(path, {
    on: ['transition'],
    concerns: (event) => event.serverId === serverId,
  });
  return (
    <Section title="History" note="changes of subscriptions, newest first">
      <Answer query={query}>
        {({ history }) => (
          <Table
            label="History"
            rows={history}
            empty={
              <Empty
                title="Nothing has changed yet"
                text="A line appears here when a rule begins or ends to hold."
              />
            }
            rowKey={keyOf}
            columns={[
              { head: 'When', fit: true, cell: ({ at }) => <Time at={at} /> },
              { head: 'Rule', cell: ({ ruleId }) => <RuleName ruleId={ruleId} rules={rules} /> },
              { head: 'Change', fit: true, cell: ({ from, to }) => <Change from={from} to={to} /> },
              { head: 'Why', cell: ({ sentence }) => <Prose text={sentence} /> },
              {
                head: 'Fact',
                number: true,
                fit: true,
                cell: ({ factId }) => (factId === null ? '–' : <Num value={factId} />),
              },
            ]}
          />
        )}
      </Answer>
    </Section>
  );
}

function keyOf({ at, subscriptionId, from, to, factId }: TransitionView): string {
  return [at, subscriptionId, from, to, factId].join(' ');
}

function RuleName({ ruleId, rules }: { readonly ruleId: string; readonly rules: HistoryProps['rules'] }) {
  const rule = rules.find((one) => one.ruleId === ruleId);
  return rule === undefined ? <span class="quiet-text">deleted rule</span> : <Id text={rule.name} plain />;
}

function Change({ from, to }: Pick<TransitionView, 'from' | 'to'>) {
  return (
    <span class="change">
      <StateBadge state={from} /> <span aria-hidden="true">→</span>
      <span class="hidden">to</span> <StateBadge state={to} />
    </span>
  );
}
