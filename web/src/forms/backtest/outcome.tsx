import type { BacktestAnswer, BacktestMessage } from '../../../../src/policy/backtest/shapes.js';
import { lengthText } from '../../pages/rules/seconds-text.js';
import { Shape } from '../../ui/badge.js';
import { counted, Num } from '../../ui/number.js';
import { Table } from '../../ui/table.js';
import { Id } from '../../ui/text.js';
import { usePlot } from '../../plots.js';
import type { ComparedMetric } from './compared-metrics.js';
import { outcomePlot, type TriedMetric } from './outcome-plot.js';
import type { PastFact } from './past-facts.js';

/** What a rule would have sent, with the measurements that it was tried on. */
export interface Tried {
  readonly answer: BacktestAnswer;
  readonly facts: readonly PastFact[];
  readonly metrics: readonly ComparedMetric[];
}

/** Maximum number of messages that are listed. */
const LISTED = 50;
/** How the page says the state of a message. */
const WORDS = { firing: 'firing', resolved: 'resolved', noData: 'no data' } as const;

interface OutcomeProps {
  readonly tried: Tried;
  /** Why it is not the outcome of what the form has now; undefined if it is. */
  readonly outdated: string | undefined;
}

/** The result of a backtest: its figures, the series with the firings, and the messages. */
export function Outcome({ tried, outdated }: OutcomeProps) {
  const { answer, facts, metrics } = tried;
  const { messages, evaluations, held } = answer;
  const shown = metrics
    .filter(({ metric }) => facts.some((fact) => fact[metric] !== undefined))
    .map((one): TriedMetric => ({ ...one, facts, messages }));
  return (
    <div class={outdated === undefined ? 'outcome' : 'outcome outdated'}>
      <div role="status">
        {outdated !== undefined && (
          <p class="outdated-note">
            <Shape tone="warn" /> {outdated}
          </p>
        )}
        <p>
          <strong>{summaryOf(answer)}</strong>{' '}
          <span class="hint">
            <Num value={evaluations} /> {evaluations === 1 ? 'evaluation' : 'evaluations'} of{' '}
            <Num value={facts.length} /> {facts.length === 1 ? 'measurement' : 'measurements'}. Held for{' '}
            {lengthText(held)}.
          </span>
        </p>
      </div>
      {shown.map((one) => (
        <figure class="course" key={one.metric}>
          <figcaption>
            <h3>
              <Id text={one.metric} plain />
            </h3>
            <span class="course-figures">
              <span class="key firing">firing</span>
              {countOf(messages, 'resolved') > 0 && <span class="key resolved">resolved</span>}
              {countOf(messages, 'noData') > 0 && <span class="key no-data">no data</span>}
              {one.thresholds.map((value) => (
                <span class="key threshold" key={value}>
                  <Num value={value} digits={4} />
                </span>
              ))}
              {one.clearThresholds.map((value) => (
                <span class="key clear" key={value}>
                  clears at <Num value={value} digits={4} />
                </span>
              ))}
            </span>
          </figcaption>
          <Chart tried={one} />
        </figure>
      ))}
      {messages.length > 0 && <Messages messages={messages} />}
    </div>
  );
}

function Messages({ messages }: { readonly messages: readonly BacktestMessage[] }) {
  const rows = messages.slice(0, LISTED).map((message, i) => ({ ...message, i }));
  return (
    // A region that scrolls has to be reachable by keyboard.
    <div class="course-table" tabIndex={0} role="region" aria-label="Messages">
      <Table
        label="Messages that would have been sent"
        rows={rows}
        rowKey={({ i }) => i}
        columns={[
          { head: 'Time', cell: ({ at }) => timeText(at) },
          { head: 'State', cell: ({ state }) => WORDS[state] },
          { head: 'Compared', cell: ({ measures }) => measuresText(measures) },
        ]}
      />
      {messages.length > LISTED && (
        <p class="hint">
          and <Num value={messages.length - LISTED} /> more
        </p>
      )}
    </div>
  );
}

function Chart({ tried }: { readonly tried: TriedMetric }) {
  const { place } = usePlot((library) => outcomePlot(library, tried), [tried.facts, tried.messages]);
  return <div ref={place} class="chart" role="img" aria-label={chartText(tried)} />;
}

function countOf(messages: readonly BacktestMessage[], state: BacktestMessage['state']): number {
  return messages.filter((message) => message.state === state).length;
}

function chartText({ metric, facts, messages, thresholds, clearThresholds }: TriedMetric): string {
  const lines =
    (thresholds.length === 0 ? '' : `, thresholds ${thresholds.join(' and ')}`) +
    (clearThresholds.length === 0 ? '' : `, clears at ${clearThresholds.join(' and ')}`);
  const ends = `${timeText(facts[0]!.at)} to ${timeText(facts.at(-1)!.at)}`;
  const [resolved, noData] = [countOf(messages, 'resolved'), countOf(messages, 'noData')];
  return `${metric} from ${ends}${lines}: ${counted(countOf(messages, 'firing'), 'firing')}, ${resolved} resolved, ${noData} without data.`;
}

function summaryOf({ firings, messages }: BacktestAnswer): string {
  if (messages.length === 0) return 'It would have sent nothing.';
  const others = (['resolved', 'noData'] as const).flatMap((state) => {
    const count = countOf(messages, state);
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${WORDS[state]}`];
  });
  return `${[counted(firings, 'firing'), ...others].join(', ')}.`;
}

function measuresText(measures: BacktestMessage['measures']): string {
  return Object.entries(measures)
    .map(([metric, value]) => `${metric} ${value?.toLocaleString('en', { maximumFractionDigits: 4 })}`)
    .join(', ');
}

function timeText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}
