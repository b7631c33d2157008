import { Button } from '../ui/button.js';
import { Field } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { type ComparisonDraft, METRICS, OPERANDS } from './rule-draft.js';

interface ConditionFieldsProps {
  readonly comparisons: readonly ComparisonDraft[];
  readonly errorOf: (field: string) => string | undefined;
  readonly onChange: (comparisons: readonly ComparisonDraft[]) => void;
}

/** The comparisons of a rule, a row for each. A metric is in one row at most. */
export function ConditionFields({ comparisons, errorOf, onChange }: ConditionFieldsProps) {
  const free = METRICS.filter((metric) => comparisons.every((row) => row.metric !== metric));
  const change = (index: number, part: Partial<ComparisonDraft>): void =>
    onChange(comparisons.map((row, i) => (i === index ? { ...row, ...part } : row)));
  const problem = errorOf('condition');

  return (
    <fieldset class="form-group" aria-invalid={problem === undefined ? undefined : 'true'} tabIndex={-1}>
      <legend>Condition</legend>
      <p class="hint">Means of full windows, in percent. The rule holds while all of these hold.</p>
      {problem !== undefined && <p class="error">{problem}</p>}
      {comparisons.map(({ metric, operand, value }, index) => (
        <div class="comparison" key={metric}>
          <Field label="Metric">
            {(input) => (
              <select
                {...input}
                value={metric}
                onChange={({ currentTarget }) => change(index, { metric: currentTarget.value })}
              >
                {METRICS.filter((one) => one === metric || free.includes(one)).map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Is" error={errorOf(`condition.${metric}.operand`)}>
            {(input) => (
              <select
                {...input}
                value={operand}
                onChange={({ currentTarget }) => change(index, { operand: currentTarget.value })}
              >
                {OPERANDS.map(([one, words]) => (
                  <option key={one} value={one}>
                    {words}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Value" error={errorOf(`condition.${metric}.value`)}>
            {(input) => (
              <input
                {...input}
                type="text"
                inputMode="decimal"
                autocomplete="off"
                value={value}
                onInput={({ currentTarget }) => change(index, { value: currentTarget.value })}
              />
            )}
          </Field>
          <Button
            kind="quiet"
            label={`Remove the comparison of ${metric}`}
            disabled={comparisons.length === 1}
            onClick={() => onChange(comparisons.filter((_, i) => i !== index))}
          >
            <Icon name="close" />
          </Button>
        </div>
      ))}
      {free.length > 0 && (
        <Button
          kind="quiet"
          onClick={() => onChange([...comparisons, { metric: free[0]!, operand: 'greater', value: '' }])}
        >
          Add a comparison
        </Button>
      )}
    </fieldset>
  );
}
