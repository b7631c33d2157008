import { ChoiceField } from '../ui/field.js';
import { type DraftFieldsProps, GroupProblem } from './form-parts.js';
import { NamedValues } from './named-values.js';

const SEVERITIES = ['critical', 'warning', 'info'];

/** Fields of the labels of a rule: its severity as a choice, the others as names with values. Folded unless it has some. */
export function LabelFields({ draft, errorOf, onChange }: DraftFieldsProps) {
  const { severity = '', labels = [] } = draft;
  const problem = errorOf('labels');
  const others = SEVERITIES.includes(severity) || severity === '' ? [] : [severity];
  return (
    <details class="form-group" open={severity !== '' || labels.length > 0 || problem !== undefined}>
      <summary>Labels</summary>
      <GroupProblem text={problem} />
      <ChoiceField
        label="Severity"
        hint="The worst come first in lists."
        value={severity}
        options={[['', 'none'], ...[...SEVERITIES, ...others].map((one) => [one, one] as const)]}
        onChange={(chosen) => onChange({ severity: chosen })}
      />
      <NamedValues
        rows={labels}
        noun="label"
        nameField={{ label: 'Label', spellcheck: false, placeholder: 'team' }}
        valueField={{ label: 'Is' }}
        onChange={(rows) => onChange({ labels: rows })}
      />
    </details>
  );
}
