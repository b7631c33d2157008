import type { ServerRuleView, ServerView } from '../../../../src/console/shapes.js';
import type { HistoryView, TransitionView } from '../../../../src/policy/explain/shapes.js';
import { useQuery } from '../../query.js';
import { Answer, Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { Table } from '../../ui/table.js';
import { Id, Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';

/** The transitions of a server, newest first. `path` is that of its history in the API. */
export function History({ path, server }: { readonly path: string; readonly server: ServerView }) {
  const { serverId, rules } = server;
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
              {
                head: 'Rule',
                cell: ({ ruleId }) => <RuleName rule={rules.find((one) => one.ruleId === ruleId)} />,
              },
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

function RuleName({ rule }: { readonly rule: ServerRuleView | undefined }) {
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
