import { useContext, useState } from 'preact/hooks';
import { type CsvFact, csvFacts, withLines } from '../../../../src/policy/backtest/csv-facts.js';
import { ApiError, messageOf } from '../../api.js';
import { Button } from '../../ui/button.js';
import { ChoiceField } from '../../ui/field.js';
import { counted } from '../../ui/number.js';
import { conditionIn } from '../condition-draft.js';
import { FormProblem } from '../form-parts.js';
import type { RuleDraft } from '../rule-draft.js';
import { type Asked, askedIn, changeSince } from './backtest-question.js';
import { backtested } from './backtested.js';
import { comparedMetrics } from './compared-metrics.js';
import { type ChosenFile, CsvSource } from './csv-source.js';
import { Outcome, type Tried } from './outcome.js';
import { factsOfServer, PastOfServer } from './past-of-server.js';

/** Tries the rule of a form, as it is typed, on a CSV file or on the last hour or day of a server. */
export function TryOut({ tenantId, draft }: { readonly tenantId: string; readonly draft: RuleDraft }) {
  const known = useContext(PastOfServer);
  const [wished, setSource] = useState<string>('hour');
  const [file, setFile] = useState<ChosenFile>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [tried, setTried] = useState<Tried & { readonly asked: Asked }>();
  const past = wished === 'csv' ? undefined : (known[wished === 'day' ? 'day' : 'hour'] ?? known.day);
  const source = past === undefined ? 'csv' : 'past';
  const compared = comparedMetrics(conditionIn(draft));
  const metrics = compared.map(({ metric }) => metric);
  const asked = askedIn(draft, past === undefined ? file : past.span);

  const run = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    let lines: readonly CsvFact[] = [];
    try {
      if (source === 'csv') lines = factsInFile(file, metrics);
      const facts = past === undefined ? lines.map(({ fact }) => fact) : factsOfServer(past, metrics);
      const answer = await backtested(tenantId, draft, facts, past);
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
        <p class="hint">
          The messages that the rule, as it is here, would have sent. Nothing is stored or sent.
        </p>
        {Object.keys(known).length > 0 && (
          <ChoiceField
            label="Measurements"
            value={past === undefined ? 'csv' : past === known.day ? 'day' : 'hour'}
            options={[
              ...Object.entries(known).map(
                ([name, { span, of }]) => [name, `the ${span} of this server, by ${of}`] as const,
              ),
              ['csv', 'a CSV file'],
            ]}
            onChange={setSource}
          />
        )}
        {past === undefined ? (
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
          <p class="hint">
            One mean for each {past.of}: {counted(past.facts.length, 'mean')}. A window is{' '}
            {counted(past.windowsize, 'mean')} here. Single values in between are not known.
          </p>
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

/**
 * Returns the message of an error, in the words of the form: without `rule.` before the members of the rule, and with the
 * lines of the file for the elements of `facts`. `lines`: the measurements of the file, if there is one.
 */
function problemOf(error: unknown, lines: readonly CsvFact[]): string {
  if (!(error instanceof ApiError)) return messageOf(error);
  const message = error.message.replaceAll(/(^|; )rule\./g, '$1');
  return lines.length === 0 ? message : withLines(message, lines);
}
