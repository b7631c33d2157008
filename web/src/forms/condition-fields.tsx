import { Button } from '../ui/button.js';
import { Field } from '../ui/field.js';
import { ComparisonRow } from './comparison-row.js';
import { asJson, asRows, type ComparisonDraft, type ConditionDraft, METRICS } from './condition-draft.js';
import { jsonProblem } from './condition-json.js';

interface ConditionFieldsProps {
  readonly draft: ConditionDraft;
  readonly errorOf: (field: string) => string | undefined;
  readonly onChange: (draft: Partial<ConditionDraft>) => void;
}

/** The condition of a rule: a row for each comparison, or JSON. */
export function ConditionFields({ draft, errorOf, onChange }: ConditionFieldsProps) {
  const problem = errorOf('condition');
  return (
    <fieldset class="form-group" aria-invalid={problem === undefined ? undefined : 'true'} tabIndex={-1}>
      <legend>Condition</legend>
      {problem !== undefined && <p class="error">{problem}</p>}
      {draft.json === undefined ? (
        <Rows draft={draft} errorOf={errorOf} onChange={onChange} />
      ) : (
        <Json json={draft.json} draft={draft} onChange={onChange} />
      )}
    </fieldset>
  );
}

function Rows({ draft, errorOf, onChange }: ConditionFieldsProps) {
  const { comparisons } = draft;
  const free = METRICS.filter((metric) => comparisons.every((row) => row.metric !== metric));
  const change = (index: number, part: Partial<ComparisonDraft>): void =>
    onChange({ comparisons: comparisons.map((row, i) => (i === index ? { ...row, ...part } : row)) });
  const added: ComparisonDraft = {
    metric: free[0] ?? '',
    typed: free.length === 0,
    operand: 'greater',
    value: '',
  };
  return (
    <>
      <p class="hint">Full windows are compared. The rule holds while all of these hold.</p>
      {comparisons.map((row, index) => (
        <ComparisonRow
          key={index}
          row={row}
          free={free}
          errorOf={errorOf}
          onChange={(part) => change(index, part)}
          onRemove={
            comparisons.length === 1
              ? undefined
              : () => onChange({ comparisons: comparisons.filter((_, i) => i !== index) })
          }
        />
      ))}
      <div class="button-row">
        <Button kind="quiet" onClick={() => onChange({ comparisons: [...comparisons, added] })}>
          Add a comparison
        </Button>
        <Button kind="quiet" onClick={() => onChange(asJson(draft))}>
          Write as JSON
        </Button>
      </div>
    </>
  );
}

interface JsonProps extends Pick<ConditionFieldsProps, 'draft' | 'onChange'> {
  readonly json: string;
}

function Json({ json, draft, onChange }: JsonProps) {
  const rows = asRows(draft);
  const problem = jsonProblem(json);
  return (
    <>
      <Field
        label="Condition as JSON"
        hint={
          problem === undefined
            ? 'An object of metrics, or {"any": [condition, …]}, {"all": [condition, …]}, {"not": condition}.'
            : `Not valid JSON: ${problem}`
        }
      >
        {(input) => (
          <textarea
            {...input}
            rows={10}
            spellcheck={false}
            value={json}
            onInput={({ currentTarget }) => onChange({ json: currentTarget.value })}
          />
        )}
      </Field>
      {rows !== undefined && (
        <div class="button-row">
          <Button kind="quiet" onClick={() => onChange(rows)}>
            Show as fields
          </Button>
        </div>
      )}
    </>
  );
}
