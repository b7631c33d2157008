import { useEffect, useRef, useState } from 'preact/hooks';
import type { ServerView } from '../../../../src/console/shapes.js';
import type { ExplainedWindow } from '../../../../src/policy/explain/shapes.js';
import { Button } from '../../ui/button.js';
import { Num, numberText } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { usePlot } from '../../plots.js';
import { dataOf, plotOf } from './plot.js';
import type { Series, SeriesByMetric } from './series.js';
import { comparisonsOf } from '../rules/condition-text.js';
import { type Threshold, Thresholds, thresholdsOf, thresholdTexts } from './thresholds.js';

/** Rows of the table of a series. */
const ROWS = 50;

/** Each window of a server as a series, with the thresholds of the rules. */
export function Windows(props: { readonly server: ServerView; readonly series: SeriesByMetric }) {
  const { windows, rules, windowsize } = props.server;
  const all = props.series;
  const shown = Object.keys(windows).filter(
    (metric) =>
      windows[metric]!.values.length > 0 ||
      (all[metric]?.facts.length ?? 0) > 0 ||
      rules.some(({ condition }) => comparisonsOf(condition).some(([named]) => named === metric)),
  );
  if (shown.length === 0) return null;
  return (
    <Section title="Windows" note={`by number of the fact; the newest ${windowsize} values decide`}>
      <div class="windows">
        {shown.map((metric) => (
          <Course
            key={metric}
            metric={metric}
            window={windows[metric]!}
            series={all[metric] ?? { facts: [], values: [], means: [] }}
            thresholds={thresholdsOf(metric, rules)}
          />
        ))}
      </div>
    </Section>
  );
}

interface CourseProps {
  readonly metric: string;
  readonly window: ExplainedWindow;
  readonly series: Series;
  readonly thresholds: readonly Threshold[];
}

function Course({ metric, window, series, thresholds }: CourseProps) {
  const [asTable, setAsTable] = useState(false);
  const newest = series.values.at(-1) ?? null;
  const mean = series.means.at(-1) ?? null;
  return (
    <figure class="course panel">
      <figcaption>
        <h3>{metric}</h3>
        <span class="course-figures">
          <span class="key value">
            newest <Value value={newest} />
          </span>
          <span class="key mean">
            mean <Value value={mean} />
          </span>
          <span>
            <Num value={Math.min(window.values.length, window.size)} /> of <Num value={window.size} /> values
          </span>
        </span>
        {series.facts.length > 0 && (
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
      {series.facts.length === 0 ? (
        <p class="course-note">No measurement of {metric} has come yet.</p>
      ) : asTable ? (
        <SeriesTable metric={metric} series={series} />
      ) : (
        <Chart metric={metric} series={series} thresholds={thresholds} />
      )}
      {thresholds.length > 0 && <Thresholds thresholds={thresholds} />}
    </figure>
  );
}

function Value({ value }: { readonly value: number | null }) {
  return value === null ? <>–</> : <Num value={value} digits={2} />;
}

/** The series on a canvas, with its figures as a text alternative. */
function Chart({ metric, series, thresholds }: Omit<CourseProps, 'window'>) {
  const latest = useRef({ series, thresholds });
  latest.current = { series, thresholds };
  const { place, plot } = usePlot(() => plotOf(metric, () => latest.current), [metric]);
  useEffect(() => plot.current?.setData(dataOf(series)), [series, thresholds]);

  return <div ref={place} class="chart" role="img" aria-label={textOf(metric, series, thresholds)} />;
}

function textOf(metric: string, { facts, values, means }: Series, thresholds: readonly Threshold[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return `${metric}: no values yet.`;
  const [first, last, mean] = [facts[0], facts.at(-1), means.at(-1) ?? null];
  const parts = [
    `${metric}, facts ${first} to ${last}: from ${numberText(Math.min(...known), 2)} to ${numberText(Math.max(...known), 2)}`,
    `newest ${numberText(known.at(-1)!, 2)}`,
    ...(mean === null ? [] : [`mean of the window ${numberText(mean, 2)}`]),
    ...thresholdTexts(thresholds),
  ];
  return `${parts.join(', ')}.`;
}

function SeriesTable({ metric, series }: Pick<CourseProps, 'metric' | 'series'>) {
  const rows = series.facts
    .map((fact, i) => ({ fact, value: series.values[i] ?? null, mean: series.means[i] ?? null }))
    .slice(-ROWS)
    .toReversed();
  return (
    // A region that scrolls has to be reachable by keyboard.
    <div class="course-table" tabIndex={0} role="region" aria-label={`Values of ${metric}`}>
      <Table
        label={`Values of ${metric}`}
        rows={rows}
        rowKey={({ fact }) => fact}
        columns={[
          { head: 'Fact', cell: ({ fact }) => <Num value={fact} /> },
          { head: 'Value', number: true, cell: ({ value }) => <Value value={value} /> },
          { head: 'Mean', number: true, cell: ({ mean }) => <Value value={mean} /> },
        ]}
      />
    </div>
  );
}
