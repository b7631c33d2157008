import { Button } from '../ui/button.js';
import { ChoiceField, TextField } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import type { DraftFieldsProps } from './form-parts.js';
import type { LabelDraft } from './label-draft.js';

const SEVERITIES = ['critical', 'warning', 'info'];

/** Fields of the labels of a rule: its severity as a choice, the others as names with values. Folded unless it has some. */
export function LabelFields({ draft, errorOf, onChange }: DraftFieldsProps) {
  const { severity = '', labels = [] } = draft;
  const problem = errorOf('labels');
  const others = SEVERITIES.includes(severity) || severity === '' ? [] : [severity];
  const change = (index: number, part: Partial<LabelDraft>): void =>
    onChange({ labels: labels.map((one, i) => (i === index ? { ...one, ...part } : one)) });
  return (
    <details class="form-group" open={severity !== '' || labels.length > 0 || problem !== undefined}>
      <summary>Labels</summary>
      {problem !== undefined && (
        <p class="error" tabIndex={-1} aria-invalid="true">
          {problem}
        </p>
      )}
      <ChoiceField
        label="Severity"
        hint="The worst come first in lists."
        value={severity}
        options={[['', 'none'], ...[...SEVERITIES, ...others].map((one) => [one, one] as const)]}
        onChange={(chosen) => onChange({ severity: chosen })}
      />
      {labels.map(({ name, value }, index) => (
        <div class="label-row" key={index}>
          <TextField
            label="Label"
            spellcheck={false}
            placeholder="team"
            value={name}
            onInput={(text) => change(index, { name: text })}
          />
          <TextField label="Is" value={value} onInput={(text) => change(index, { value: text })} />
          <Button
            kind="quiet"
            label={`Remove the label ${name}`}
            onClick={() => onChange({ labels: labels.filter((_, i) => i !== index) })}
          >
            <Icon name="close" />
          </Button>
        </div>
      ))}
      <div class="button-row">
        <Button kind="quiet" onClick={() => onChange({ labels: [...labels, { name: '', value: '' }] })}>
          Add a label
        </Button>
      </div>
    </details>
  );
}
