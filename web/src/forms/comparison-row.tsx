import { isOfDocument } from '../../../src/policy/rules/metrics.js';
import { Button } from '../ui/button.js';
import { ChoiceField, TextField } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { bindings, type FormPartProps } from './form-parts.js';
import { AGGREGATES, type ComparisonDraft, METRICS, OPERANDS } from './condition-draft.js';

/** The problem of the field `''` is that of the metric. */
interface ComparisonRowProps extends FormPartProps<ComparisonDraft> {
  /** The metrics of the document that no row has. */
  readonly free: readonly string[];
  /** undefined for the only row. */
  readonly onRemove: (() => void) | undefined;
}

const [MEAN, ...OTHERS] = AGGREGATES;

/** One comparison of a condition. */
export function ComparisonRow(props: ComparisonRowProps) {
  const { metric, aggregate = '' } = props.draft;
  const { onRemove } = props;
  const field = bindings(props);
  const unit = isOfDocument(metric) && aggregate !== 'sum' ? '%' : undefined;
  return (
    <div class="comparison">
      <MetricField {...props} />
      <ChoiceField label="Is" {...field('operand')} options={OPERANDS} />
      <TextField label="Value" {...field('value')} inputMode="decimal" unit={unit} />
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
        {...field('aggregate')}
        options={[
          ['', MEAN],
          // Kept as it is: the messages of a rule that names `mean` have a state.
          ...(aggregate === MEAN ? [[MEAN, `${MEAN}, named`] as const] : []),
          ...OTHERS.map((one) => [one, one] as const),
        ]}
      />
      <TextField
        label="Clears at"
        {...field('clear')}
        inputMode="decimal"
        unit={unit}
        placeholder="the value"
      />
    </div>
  );
}

/** A choice of the document's metrics, or the name of another one. */
function MetricField(props: ComparisonRowProps) {
  const { metric, typed } = props.draft;
  const field = bindings(props)('metric', '');
  if (typed === true) {
    return <TextField label="Metric" {...field} spellcheck={false} placeholder="its name" />;
  }
  const choices = METRICS.filter((one) => one === metric || props.free.includes(one));
  return (
    <ChoiceField
      label="Metric"
      {...field}
      options={[...choices.map((one) => [one, one] as const), ['', 'another …']]}
      onChange={(chosen) => props.onChange({ metric: chosen, typed: chosen === '' })}
    />
  );
}
