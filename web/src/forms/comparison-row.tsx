import { Button } from '../ui/button.js';
import { Field, type InputProps } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { NumberInput } from '../ui/number-input.js';
import { AGGREGATES, type ComparisonDraft, METRICS, OPERANDS } from './condition-draft.js';

interface ComparisonRowProps {
  readonly row: ComparisonDraft;
  /** The metrics of the document that no row has. */
  readonly free: readonly string[];
  readonly errorOf: (field: string) => string | undefined;
  readonly onChange: (part: Partial<ComparisonDraft>) => void;
  /** undefined for the only row. */
  readonly onRemove: (() => void) | undefined;
}

/** One comparison of a condition. */
export function ComparisonRow({ row, free, errorOf, onChange, onRemove }: ComparisonRowProps) {
  const { metric, operand, value, aggregate = '', clear = '' } = row;
  const error = (member: string): string | undefined => errorOf(`condition.${metric.trim()}.${member}`);
  return (
    <div class="comparison">
      <Field label="Metric">
        {(input) => <MetricInput input={input} row={row} free={free} onChange={onChange} />}
      </Field>
      <Field label="Is" error={error('operand')}>
        {(input) => (
          <select
            {...input}
            value={operand}
            onChange={({ currentTarget }) => onChange({ operand: currentTarget.value })}
          >
            {OPERANDS.map(([one, words]) => (
              <option key={one} value={one}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Value" error={error('value')}>
        {(input) => (
          <NumberInput
            mode="decimal"
            input={input}
            value={value}
            onInput={(text) => onChange({ value: text })}
          />
        )}
      </Field>
      <Button
        kind="quiet"
        label={`Remove the comparison of ${metric}`}
        disabled={onRemove === undefined}
        onClick={() => onRemove?.()}
      >
        <Icon name="close" />
      </Button>
      <Field label="Compared" error={error('aggregate')}>
        {(input) => (
          <select
            {...input}
            value={aggregate}
            onChange={({ currentTarget }) => onChange({ aggregate: currentTarget.value })}
          >
            <option value="">{AGGREGATES[0]}</option>
            {/* Kept as it is: the messages of a rule that names `mean` have a state. */}
            {aggregate === AGGREGATES[0] && <option value={AGGREGATES[0]}>{AGGREGATES[0]}, named</option>}
            {AGGREGATES.slice(1).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Clears at" error={error('clear')}>
        {(input) => (
          <NumberInput
            mode="decimal"
            input={input}
            value={clear}
            placeholder="the value"
            onInput={(text) => onChange({ clear: text })}
          />
        )}
      </Field>
    </div>
  );
}

interface MetricInputProps extends Pick<ComparisonRowProps, 'row' | 'free' | 'onChange'> {
  readonly input: InputProps;
}

/** A choice of the document's metrics, or the name of another one. */
function MetricInput({ input, row, free, onChange }: MetricInputProps) {
  const { metric, typed } = row;
  if (typed === true) {
    return (
      <input
        {...input}
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder="its name"
        value={metric}
        onInput={({ currentTarget }) => onChange({ metric: currentTarget.value })}
      />
    );
  }
  return (
    <select
      {...input}
      value={metric}
      onChange={({ currentTarget }) =>
        onChange({ metric: currentTarget.value, typed: currentTarget.value === '' })
      }
    >
      {METRICS.filter((one) => one === metric || free.includes(one)).map((one) => (
        <option key={one}>{one}</option>
      ))}
      <option value="">another …</option>
    </select>
  );
}
