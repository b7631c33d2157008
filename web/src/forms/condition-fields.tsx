import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { ComparisonRow } from './comparison-row.js';
import { asJson, asRows, type ComparisonDraft, METRICS } from './condition-draft.js';
import { jsonProblem } from './condition-json.js';
import { type DraftFieldsProps, FieldGroup } from './form-parts.js';

/** The condition of a rule: a row for each comparison, or JSON. */
export function ConditionFields(props: DraftFieldsProps) {
  return (
    <FieldGroup legend="Condition" problem={props.errorOf('condition')}>
      {props.draft.json === undefined ? <Rows {...props} /> : <Json {...props} />}
    </FieldGroup>
  );
}

function Rows({ draft, errorOf, onChange }: DraftFieldsProps) {
  const { comparisons } = draft;
  const free = METRICS.filter((metric) => comparisons.every((row) => row.metric !== metric));
  const change = (index: number, part: Partial<ComparisonDraft>): void =>
    onChange({ comparisons: comparisons.map((row, i) => (i === index ? { ...row, ...part } : row)) });
  const remove = (index: number): void =>
    onChange({ comparisons: comparisons.filter((_, i) => i !== index) });
  const added = { metric: free[0] ?? '', typed: free.length === 0, operand: 'greater', value: '' };
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
          onRemove={comparisons.length === 1 ? undefined : () => remove(index)}
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

function Json({ draft, onChange }: DraftFieldsProps) {
  const { json = '' } = draft;
  const rows = asRows(draft);
  const problem = jsonProblem(json);
  return (
    <>
      <TextField
        label="Condition as JSON"
        hint={
          problem === undefined
            ? 'An object of metrics, or {"any": [condition, …]}, {"all": [condition, …]}, {"not": condition}.'
            : `Not valid JSON: ${problem}`
        }
        rows={10}
        spellcheck={false}
        value={json}
        onInput={(text) => onChange({ json: text })}
      />
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
