import { useRef, useState } from 'preact/hooks';
import type { CsvTable } from '../../../../src/policy/backtest/csv-facts.js';
import { messageOf } from '../../api.js';
import { ChoiceField, Field } from '../../ui/field.js';
import { counted } from '../../ui/number.js';
import { Id, nameText } from '../../ui/text.js';
import { type ChosenColumns, likelyColumns, tableIn } from './past-facts.js';

/** A file that was read, with its columns. */
export interface ChosenFile {
  readonly name: string;
  readonly table: CsvTable;
  readonly columns: ChosenColumns;
}

/** Largest file, MiB: reading one holds up the page. 50,000 measurements, of which a backtest has no more, have less. */
const LARGEST_MIB = 16;

interface CsvSourceProps {
  readonly chosen: ChosenFile | undefined;
  /** The metrics of the rule. */
  readonly metrics: readonly string[];
  readonly onChange: (chosen: ChosenFile) => void;
  /** Called with what is wrong with a file. No earlier file is chosen any more. */
  readonly onProblem: (message: string) => void;
}

/** Takes a CSV file that is dropped or chosen, and asks for its columns. */
export function CsvSource({ chosen, metrics, onChange, onProblem }: CsvSourceProps) {
  const [isOver, setOver] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    try {
      if (file.size > LARGEST_MIB * 1024 ** 2) {
        throw new Error(`the file must not exceed ${LARGEST_MIB} MiB; take a part of it, or fewer columns`);
      }
      const table = tableIn(await file.text());
      onChange({ name: file.name, table, columns: likelyColumns(table, metrics) });
    } catch (error) {
      onProblem(`${file.name}: ${messageOf(error)}`);
    }
  };
  return (
    <>
      <div
        ref={place}
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          const files = event.dataTransfer?.files;
          if (files === undefined || files.length === 0) return;
          // The field names the dropped file, as it does a chosen one.
          place.current!.querySelector('input')!.files = files;
          void take(files[0]);
        }}
      >
        <Field
          label="Measurements as CSV"
          hint="Choose a file, or drop it here: a header, then one line for each measurement."
        >
          {(input) => (
            <input
              {...input}
              type="file"
              accept=".csv,text/csv,text/plain"
              onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
            />
          )}
        </Field>
        {chosen !== undefined && (
          <p class="hint">
            <Id text={chosen.name} plain />: {counted(chosen.table.rows.length, 'line')}
          </p>
        )}
      </div>
      {chosen !== undefined && <Columns chosen={chosen} metrics={metrics} onChange={onChange} />}
    </>
  );
}

function Columns({
  chosen,
  metrics,
  onChange,
}: Pick<CsvSourceProps, 'metrics' | 'onChange'> & { readonly chosen: ChosenFile }) {
  const { table, columns } = chosen;
  const change = (part: Partial<ChosenColumns>): void =>
    onChange({ ...chosen, columns: { ...columns, ...part } });
  const options = table.columns.map((column) => [column, nameText(column)] as const);
  return (
    <div class="form-row">
      <ChoiceField
        label="Time"
        hint="Times without a zone are in UTC."
        value={columns.time}
        options={options}
        onChange={(time) => change({ time })}
      />
      {metrics.map((metric) => (
        <ChoiceField
          key={metric}
          label={`Column of ${metric}`}
          value={columns.metrics[metric] ?? ''}
          options={[['', 'not measured'], ...options]}
          onChange={(column) => change({ metrics: { ...columns.metrics, [metric]: column } })}
        />
      ))}
    </div>
  );
}
