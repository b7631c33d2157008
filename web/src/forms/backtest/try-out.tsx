import { useContext, useState } from 'preact/hooks';
import { type CsvFact, csvFacts, withLines } from '../../../../src/policy/backtest/csv-facts.js';
import type { BacktestAnswer } from '../../../../src/policy/backtest/shapes.js';
import { ApiError, messageOf, send } from '../../api.js';
import { Button } from '../../ui/button.js';
import { ChoiceField, TextField } from '../../ui/field.js';
import { conditionIn } from '../condition-draft.js';
import { FormProblem } from '../form-parts.js';
import { policyPath } from '../policy-paths.js';
import { type RuleDraft, ruleIn } from '../rule-draft.js';
import { type Asked, askedIn, changeSince } from './backtest-question.js';
import { comparedMetrics } from './compared-metrics.js';
import { type ChosenFile, CsvSource } from './csv-source.js';
import { Outcome, type Tried } from './outcome.js';
import type { PastFact } from './past-facts.js';
import { RecentFacts, type RecentRows } from './recent-facts.js';

/** Maximum pause between two measurements that the form takes, s. */
const LONGEST_PAUSE_S = 86_400;
/** Stands for the action of the form, which may be unfinished: no backtest depends on it. */
const ANY_ACTION = { actionName: 'notify-scale', operation: 'scaleUp' };

/** Tries the rule of a form, as it is typed, on a CSV file or on the recent measurements of a server. */
export function TryOut({ tenantId, draft }: { readonly tenantId: string; readonly draft: RuleDraft }) {
  const recent = useContext(RecentFacts);
  const [wished, setSource] = useState<'recent' | 'csv'>('recent');
  const [file, setFile] = useState<ChosenFile>();
  const [pause, setPause] = useState('60');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [tried, setTried] = useState<Tried & { readonly asked: Asked }>();
  const source = recent.length === 0 ? 'csv' : wished;
  const compared = comparedMetrics(conditionIn(draft));
  const metrics = compared.map(({ metric }) => metric);
  const asked = askedIn(draft, source === 'csv' ? file : pause);

  const run = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    let lines: readonly CsvFact[] = [];
    try {
      if (source === 'csv') lines = factsInFile(file, metrics);
      const facts = source === 'csv' ? lines.map(({ fact }) => fact) : factsOfServer(recent, metrics, pause);
      const rule = {
        ...ruleIn(draft),
        name: draft.name.trim() === '' ? 'New rule' : draft.name,
        action: ANY_ACTION,
      };
      const answer = await send<BacktestAnswer>('POST', policyPath(tenantId, 'rules', 'backtest'), {
        rule,
        facts,
      });
      setTried({ answer, facts, metrics: compared, asked });
    } catch (error) {
      setTried(undefined);
      setProblem(problemOf(error, lines));
    } finally {
      setBusy(false);
    }
  };

  return (
    <details class="form-group try-out">
      <summary>Try it on the past</summary>
      <div class="try-out-fields">
        <p class="hint">What the rule, as it is here, would have sent. Nothing is stored or sent.</p>
        {recent.length > 0 && (
          <ChoiceField
            label="Measurements"
            value={source}
            options={[
              ['recent', `the recent ones of this server (${recent.length})`],
              ['csv', 'a CSV file'],
            ]}
            onChange={(chosen) => setSource(chosen === 'csv' ? 'csv' : 'recent')}
          />
        )}
        {source === 'csv' ? (
          <CsvSource
            chosen={file}
            metrics={metrics}
            onChange={(chosen) => {
              setFile(chosen);
              setProblem(undefined);
            }}
            onProblem={(message) => {
              setFile(undefined);
              setTried(undefined);
              setProblem(message);
            }}
          />
        ) : (
          <TextField
            label="Seconds between two of them"
            hint="The page has seen the values, and not all of their times."
            inputMode="numeric"
            value={pause}
            onInput={setPause}
          />
        )}
        <FormProblem text={problem} />
        <Button busy={busy} onClick={() => void run()}>
          Try the rule
        </Button>
        {tried !== undefined && <Outcome tried={tried} outdated={changeSince(tried.asked, asked)} />}
      </div>
    </details>
  );
}

function factsInFile(file: ChosenFile | undefined, metrics: readonly string[]): readonly CsvFact[] {
  if (file === undefined) throw new Error('Choose a CSV file first.');
  const { time, metrics: columns } = file.columns;
  const measured = Object.entries(columns).filter(
    ([metric, column]) => metrics.includes(metric) && column !== '',
  );
  const facts = csvFacts(file.table, { time, metrics: new Map(measured) });
  if (facts.length > 0) return facts;
  throw new Error('No line has a value: choose the columns of the metrics.');
}

function factsOfServer(recent: RecentRows, metrics: readonly string[], pause: string): readonly PastFact[] {
  const seconds = Number(pause);
  if (pause.trim() === '' || !Number.isFinite(seconds) || seconds < 0 || seconds > LONGEST_PAUSE_S) {
    throw new Error(`The seconds between two measurements must be a number from 0 to ${LONGEST_PAUSE_S}.`);
  }
  const rows = recent
    .map((row) => Object.entries(row).filter(([metric]) => metrics.includes(metric)))
    .filter((row) => row.length > 0);
  if (rows.length === 0)
    throw new Error(`The page has seen no value of ${metrics.join(', ') || 'a metric'} here.`);
  const last = Date.now();
  return rows.map((row, i) => ({
    ...Object.fromEntries(row),
    at: new Date(last - (rows.length - 1 - i) * seconds * 1_000).toISOString(),
  }));
}

/**
 * Returns the message of an error, in the words of the form: without `rule.` before the members of the rule, and with the
 * lines of the file for the elements of `facts`. `lines`: the measurements of the file, if there is one.
 */
function problemOf(error: unknown, lines: readonly CsvFact[]): string {
  if (!(error instanceof ApiError)) return messageOf(error);
  const message = error.message.replaceAll(/(^|; )rule\./g, '$1');
  return lines.length === 0 ? message : withLines(message, lines);
}
