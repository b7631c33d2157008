import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ServerRuleView, ServerView, TrendView, WindowView } from '../../../../src/console/shapes.js';
import type { TransitionView } from '../../../../src/policy/explain/shapes.js';
import { usePlot } from '../../plots.js';
import { useRestoredState } from '../../restored-state.js';
import { Shape } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { counted, Num, numberText } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { Table } from '../../ui/table.js';
import { nowEvery, Time } from '../../ui/time.js';
import { comparisonsOf } from '../rules/condition-text.js';
import {
  bucketsOf,
  type FiringNow,
  type FiringTime,
  firingTimes,
  isStale,
  type PastBucket,
  pointsOf,
  type Span,
  SPANS,
  usualPause,
} from './past.js';
import { plotOf, type Shown } from './plot.js';
import { Thresholds, thresholdsOf, thresholdTexts } from './thresholds.js';

/** How often a chart moves without a value, ms. */
const MOVES_MS = 10_000;
/** Rows of the table of a metric. */
const ROWS = 150;
const WORDS: Readonly<Record<Span, string>> = { hour: 'Last hour', day: 'Last day' };

interface WindowsProps {
  readonly server: ServerView;
  /** undefined until it is read. */
  readonly trend: TrendView | undefined;
  /** Newest first. */
  readonly history: readonly TransitionView[];
}

/** The metrics of a server over the last hour or day, with the thresholds of the rules and the times in which they fired. */
export function Windows({ server, trend, history }: WindowsProps) {
  const { tenantId, serverId, windows, rules, windowsize } = server;
  const [span, setSpan] = useRestoredState<Span>(`${tenantId} ${serverId} span`, 'hour');
  const firing = useMemo(() => firingTimes(history, firingNow(rules)), [history, rules]);
  const readers = (metric: string): readonly ServerRuleView[] =>
    rules.filter(({ condition }) => comparisonsOf(condition).some(([named]) => named === metric));
  // Those that no rule reads come last: they have no chart.
  const shown = Object.keys(windows)
    .filter((metric) => windows[metric]!.at !== null || readers(metric).length > 0)
    .toSorted((a, b) => Number(readers(a).length === 0) - Number(readers(b).length === 0));
  if (shown.length === 0) return null;
  return (
    <Section
      title="Metrics"
      note={`mean, smallest and largest value by ${span === 'hour' ? 'minute' : 'ten minutes'}; rules compare the newest ${counted(windowsize, 'value')}`}
      actions={
        <div class="spans" role="group" aria-label="Time shown">
          {(['hour', 'day'] as const).map((one) => (
            <button
              key={one}
              type="button"
              class="tab"
              aria-pressed={span === one}
              onClick={() => setSpan(one)}
            >
              {WORDS[one]}
            </button>
          ))}
        </div>
      }
    >
      <div class="windows">
        {shown.map((metric) => (
          <Course
            key={metric}
            metric={metric}
            window={windows[metric]!}
            span={span}
            kept={trend?.kept}
            trend={trend?.trends.find((one) => one.metric === metric)}
            rules={readers(metric)}
            firing={firing}
          />
        ))}
      </div>
    </Section>
  );
}

function firingNow(rules: readonly ServerRuleView[]): readonly FiringNow[] {
  return rules.flatMap(({ ruleId, subscriptions }) =>
    subscriptions.flatMap(({ subscriptionId, state, since }) =>
      state === 'firing' && since !== null ? [{ ruleId, subscriptionId, since: Date.parse(since) }] : [],
    ),
  );
}

interface CourseProps {
  readonly metric: string;
  readonly window: WindowView;
  readonly span: Span;
  /** False: the service keeps no trend. undefined: not known yet. */
  readonly kept: boolean | undefined;
  /** undefined: the metric is not watched. */
  readonly trend: TrendView['trends'][number] | undefined;
  /** The rules that read it. */
  readonly rules: readonly ServerRuleView[];
  readonly firing: readonly FiringTime[];
}

function Course({ metric, window, span, kept, trend, rules, firing: all }: CourseProps) {
  const [asTable, setAsTable] = useState(false);
  const now = nowEvery(MOVES_MS);
  const newest = window.at === null ? now : Math.max(now, Date.parse(window.at));
  const { step, length } = SPANS[span];
  const buckets = useMemo(() => bucketsOf(trend?.buckets ?? [], span, newest), [trend, span, newest]);
  const thresholds = useMemo(() => thresholdsOf(metric, rules), [metric, rules]);
  const firing = useMemo(
    () =>
      all.filter(
        ({ ruleId, to = newest }) => to > newest - length && rules.some((rule) => rule.ruleId === ruleId),
      ),
    [all, rules, newest, length],
  );
  const shown: Shown = { points: pointsOf(buckets, step, newest), thresholds, firing, span, now: newest };
  return (
    <figure class="course panel">
      <figcaption>
        <h3>{metric}</h3>
        <Figures window={window} usual={usualPause(buckets, step)} />
        {buckets.length > 0 && (
          <Button
            kind="quiet"
            label={`${metric} as a ${asTable ? 'chart' : 'table'}`}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'Chart' : 'Table'}
          </Button>
        )}
      </figcaption>
      {window.emptied !== undefined && (
        <p class="course-note">
          Emptied by a pause <Time at={window.emptied} />.
        </p>
      )}
      {buckets.length === 0 ? (
        <p class="course-note">{whyEmpty({ metric, window, span, kept, trend })}</p>
      ) : asTable ? (
        <BucketTable metric={metric} buckets={buckets} />
      ) : (
        <Chart metric={metric} shown={shown} buckets={buckets} />
      )}
      {firing.length > 0 && buckets.length > 0 && (
        <p class="course-note">
          <span class="key fired">firing</span> {counted(firing.length, 'time')} in the{' '}
          {WORDS[span].toLowerCase()}
        </p>
      )}
      {thresholds.length > 0 && <Thresholds thresholds={thresholds} />}
    </figure>
  );
}

function whyEmpty({ metric, window, span, kept, trend }: Omit<CourseProps, 'rules' | 'firing'>): string {
  if (kept === undefined) return 'The past is being read.';
  if (!kept) return 'The service keeps no past of metrics: its setting TREND is off.';
  if (trend === undefined) return `No subscribed rule reads ${metric}: its past is not kept.`;
  if (window.at === null) return `No measurement of ${metric} has come yet.`;
  return `No value of ${metric} in the ${WORDS[span].toLowerCase()}.`;
}

/** The newest value, and how old it is if it is older than usual; the mean of the window, and how full the window is. */
function Figures({ window, usual }: { readonly window: WindowView; readonly usual: number }) {
  const { at, values, size } = window;
  const stale = at !== null && isStale(Date.parse(at), usual, nowEvery(1_000));
  const mean = values.length < size ? null : values.reduce((sum, value) => sum + value, 0) / size;
  return (
    <span class="course-figures">
      {stale ? (
        <span class="stale">
          <Shape tone="warn" /> last value <Value value={values.at(-1) ?? null} />, <Time at={at} />
        </span>
      ) : (
        <span>
          newest <Value value={values.at(-1) ?? null} />
        </span>
      )}
      <span>
        mean of the window <Value value={mean} />
      </span>
      <span>
        <Num value={Math.min(values.length, size)} /> of <Num value={size} /> values
      </span>
    </span>
  );
}

function Value({ value }: { readonly value: number | null }) {
  return value === null ? <>–</> : <Num value={value} digits={2} />;
}

interface ChartProps {
  readonly metric: string;
  readonly shown: Shown;
  readonly buckets: readonly PastBucket[];
}

/** The points on a canvas, with their figures as a text alternative. */
function Chart({ metric, shown, buckets }: ChartProps) {
  const latest = useRef(shown);
  latest.current = shown;
  const { place, plot } = usePlot(() => plotOf(metric, () => latest.current), [metric]);
  const { points, thresholds, firing, now, span } = shown;
  useEffect(() => plot.current?.setData([...points]), [buckets, thresholds, firing, now, span]);
  return <div ref={place} class="chart" role="img" aria-label={textOf(metric, shown, buckets)} />;
}

function textOf(metric: string, { thresholds, firing, span }: Shown, buckets: readonly PastBucket[]): string {
  const least = Math.min(...buckets.map(({ min }) => min));
  const most = Math.max(...buckets.map(({ max }) => max));
  const values = buckets.reduce((sum, { count }) => sum + count, 0);
  const parts = [
    `${metric}, ${WORDS[span].toLowerCase()}: ${counted(values, 'value')} from ${numberText(least, 2)} to ${numberText(most, 2)}`,
    `newest mean ${numberText(buckets.at(-1)!.mean, 2)}`,
    ...thresholdTexts(thresholds),
    ...(firing.length === 0 ? [] : [`fired ${counted(firing.length, 'time')}`]),
  ];
  return `${parts.join(', ')}.`;
}

function BucketTable({ metric, buckets }: Pick<ChartProps, 'metric' | 'buckets'>) {
  return (
    // A region that scrolls has to be reachable by keyboard.
    <div class="course-table" tabIndex={0} role="region" aria-label={`Values of ${metric}`}>
      <Table
        label={`Values of ${metric}`}
        rows={buckets.slice(-ROWS).toReversed()}
        rowKey={({ from }) => from}
        columns={[
          { head: 'From', cell: ({ from }) => <Time at={from} /> },
          { head: 'Values', number: true, cell: ({ count }) => <Num value={count} /> },
          { head: 'Mean', number: true, cell: ({ mean }) => <Value value={mean} /> },
          { head: 'Smallest', number: true, cell: ({ min }) => <Value value={min} /> },
          { head: 'Largest', number: true, cell: ({ max }) => <Value value={max} /> },
        ]}
      />
    </div>
  );
}
