import { useComputed } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ServerRuleView, ServerView } from '../../../../src/console/shapes.js';
import type { ExplainedWindow } from '../../../../src/policy/explain/shapes.js';
import { repaint } from '../../theme.js';
import { Button } from '../../ui/button.js';
import { Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { Table } from '../../ui/table.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { drawPlot } from './plot.js';
import type { Plot, Threshold } from './plot.js';
import type { Series } from './series.js';
import { useSeries } from './use-series.js';

/** Rows of the table of a series. */
const ROWS = 50;

/** Each window of a server as a series, with the thresholds of the rules. */
export function Windows({ server }: { readonly server: ServerView }) {
  const series = useSeries(server);
  const { windows, rules } = server;
  const shown = Object.keys(windows).filter(
    (metric) =>
      windows[metric]!.values.length > 0 ||
      (series[metric]?.facts.length ?? 0) > 0 ||
      rules.some(({ condition }) => condition[metric] !== undefined),
  );
  if (shown.length === 0) return null;
  return (
    <Section title="Windows" note={`by number of the fact; the newest ${server.windowsize} values decide`}>
      <div class="windows">
        {shown.map((metric) => (
          <Course
            key={metric}
            metric={metric}
            window={windows[metric]!}
            series={series[metric] ?? { facts: [], values: [], means: [] }}
            thresholds={thresholdsOf(metric, rules)}
          />
        ))}
      </div>
    </Section>
  );
}

function thresholdsOf(metric: string, rules: readonly ServerRuleView[]): readonly Threshold[] {
  return rules.flatMap(({ condition, name }) => {
    const comparison = condition[metric];
    return comparison === undefined ? [] : [{ value: comparison.value, name }];
  });
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
            newest <Percent value={newest} />
          </span>
          <span class="key mean">
            mean <Percent value={mean} />
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

/** Thresholds that are named below a chart. */
const NAMED = 5;

function Thresholds({ thresholds }: Pick<CourseProps, 'thresholds'>) {
  return (
    <ul class="thresholds" aria-label="Thresholds">
      {thresholds.slice(0, NAMED).map(({ value, name }) => (
        <li key={`${name} ${value}`} class="key threshold">
          <Num value={value} digits={4} /> <Id text={name.slice(0, 80)} plain />
        </li>
      ))}
      {thresholds.length > NAMED && <li>and {thresholds.length - NAMED} more</li>}
    </ul>
  );
}

function Percent({ value }: { readonly value: number | null }) {
  return value === null ? <>–</> : <Num value={value} digits={2} />;
}

/** The series on a canvas, with its figures as a text alternative. */
function Chart({ metric, series, thresholds }: Omit<CourseProps, 'window'>) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | undefined>(undefined);
  const latest = useRef({ series, thresholds });
  latest.current = { series, thresholds };
  // Reads the signal: colours of a canvas are not those of the stylesheet.
  const paint = useComputed(() => repaint.value).value;

  useEffect(() => {
    let ended = false;
    const sizes = new ResizeObserver(() => plot.current?.resize(place.current?.clientWidth ?? 0));
    void drawPlot(place.current!).then((drawn) => {
      if (ended) return drawn.end();
      plot.current = drawn;
      drawn.show(latest.current.series, latest.current.thresholds);
      sizes.observe(place.current!);
    });
    return () => {
      ended = true;
      sizes.disconnect();
      plot.current?.end();
      plot.current = undefined;
    };
  }, [paint]);
  useEffect(() => plot.current?.show(series, thresholds), [series, thresholds]);

  return <div ref={place} class="chart" role="img" aria-label={textOf(metric, series, thresholds)} />;
}

function textOf(metric: string, { facts, values, means }: Series, thresholds: readonly Threshold[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return `${metric}: no values yet.`;
  const [first, last, mean] = [facts[0], facts.at(-1), means.at(-1) ?? null];
  const parts = [
    `${metric}, facts ${first} to ${last}: from ${shortly(Math.min(...known))} to ${shortly(Math.max(...known))}`,
    `newest ${shortly(known.at(-1)!)}`,
    ...(mean === null ? [] : [`mean of the window ${shortly(mean)}`]),
    ...thresholds.slice(0, NAMED).map(({ value }) => `threshold ${value}`),
  ];
  return `${parts.join(', ')}.`;
}

function shortly(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
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
          { head: 'Value', number: true, cell: ({ value }) => <Percent value={value} /> },
          { head: 'Mean', number: true, cell: ({ mean }) => <Percent value={mean} /> },
        ]}
      />
    </div>
  );
}
