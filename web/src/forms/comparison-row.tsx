import { isOfDocument } from '../../../src/policy/rules/metrics.js';
import { Button } from '../ui/button.js';
import { ChoiceField, TextField } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { AGGREGATES, type ComparisonDraft, METRICS, OPERANDS } from './condition-draft.js';

interface ComparisonRowProps {
  readonly row: ComparisonDraft;
  /** The metrics of the document that no row has. */
  readonly free: readonly string[];
  /** The problem of a member; of `''`: that of the metric. */
  readonly errorOf: (member: string) => string | undefined;
  readonly onChange: (part: Partial<ComparisonDraft>) => void;
  /** undefined for the only row. */
  readonly onRemove: (() => void) | undefined;
}

const [MEAN, ...OTHERS] = AGGREGATES;

/** One comparison of a condition. */
export function ComparisonRow({ row, free, errorOf, onChange, onRemove }: ComparisonRowProps) {
  const { metric, operand, value, aggregate = '', clear = '' } = row;
  const unit = isOfDocument(metric) && aggregate !== 'sum' ? '%' : undefined;
  return (
    <div class="comparison">
      <MetricField row={row} free={free} error={errorOf('')} onChange={onChange} />
      <ChoiceField
        label="Is"
        error={errorOf('operand')}
        value={operand}
        options={OPERANDS}
        onChange={(chosen) => onChange({ operand: chosen })}
      />
      <TextField
        label="Value"
        error={errorOf('value')}
        inputMode="decimal"
        unit={unit}
        value={value}
        onInput={(text) => onChange({ value: text })}
      />
      <Button
        kind="quiet"
        label={`Remove the comparison of ${metric}`}
        disabled={onRemove === undefined}
        onClick={() => onRemove?.()}
      >
        <Icon name="close" />
      </Button>
      <ChoiceField
        label="Compared"
        error={errorOf('aggregate')}
        value={aggregate}
        options={[
          ['', MEAN],
          // Kept as it is: the messages of a rule that names `mean` have a state.
          ...(aggregate === MEAN ? [[MEAN, `${MEAN}, named`] as const] : []),
          ...OTHERS.map((one) => [one, one] as const),
        ]}
        onChange={(chosen) => onChange({ aggregate: chosen })}
      />
      <TextField
        label="Clears at"
        error={errorOf('clear')}
        inputMode="decimal"
        unit={unit}
        placeholder="the value"
        value={clear}
        onInput={(text) => onChange({ clear: text })}
      />
    </div>
  );
}

/** A choice of the document's metrics, or the name of another one. */
function MetricField({
  row,
  free,
  error,
  onChange,
}: Pick<ComparisonRowProps, 'row' | 'free' | 'onChange'> & { readonly error: string | undefined }) {
  const { metric, typed } = row;
  if (typed === true) {
    return (
      <TextField
        label="Metric"
        error={error}
        spellcheck={false}
        placeholder="its name"
        value={metric}
        onInput={(name) => onChange({ metric: name })}
      />
    );
  }
  const choices = METRICS.filter((one) => one === metric || free.includes(one));
  return (
    <ChoiceField
      label="Metric"
      error={error}
      value={metric}
      options={[...choices.map((one) => [one, one] as const), ['', 'another …']]}
      onChange={(chosen) => onChange({ metric: chosen, typed: chosen === '' })}
    />
  );
}
