import { useState } from 'preact/hooks';
import { TextField } from '../ui/field.js';
import { typedSeconds } from './duration.js';
import { bindings, type DraftFieldsProps } from './form-parts.js';

const TIMES = [
  ['for', 'Holds for', 'Fires once the condition has held for this time. Empty: at once.'],
  [
    'repeat',
    'Repeats after',
    'Time between two firings. Empty: fires with each measurement. 0: fires once until the condition ends.',
  ],
  ['noData', 'No data after', 'Notifies if no measurement comes for this time. Empty: never.'],
] as const;

/** Fields that define when a rule notifies. They are folded unless the rule has one, or one has a problem. */
export function RuleOptionsFields(props: DraftFieldsProps) {
  const { draft, errorOf, onChange } = props;
  const field = bindings(props);
  const resolveProblem = errorOf('resolve');
  const [isUsed] = useState(TIMES.some(([member]) => (draft[member] ?? '') !== '') || draft.resolve === true);
  const isWrong = TIMES.some(([member]) => errorOf(member) !== undefined) || resolveProblem !== undefined;
  return (
    <details class="form-group" open={isUsed || isWrong}>
      <summary>When it notifies</summary>
      <div class="form-row">
        {TIMES.map(([member, label, hint]) => (
          <TextField
            key={member}
            label={label}
            {...field(member)}
            hint={timeHint(draft[member] ?? '', hint)}
            placeholder="10 min, 2 h, 90 s"
          />
        ))}
      </div>
      <label class="option">
        <input
          type="checkbox"
          aria-invalid={resolveProblem === undefined ? undefined : 'true'}
          checked={draft.resolve === true}
          onChange={({ currentTarget }) => onChange({ resolve: currentTarget.checked })}
        />
        <span>
          <strong>Notify when it is over</strong>
          <span class="hint">One message when the condition ends after a firing.</span>
          {resolveProblem !== undefined && <span class="error">{resolveProblem}</span>}
        </span>
      </label>
    </details>
  );
}

/** Returns what stands below a time: the seconds that it is, or what an empty one means. */
function timeHint(text: string, empty: string): string {
  if (text.trim() === '') return empty;
  const seconds = typedSeconds(text);
  return typeof seconds === 'number'
    ? `= ${seconds} s. ${empty}`
    : 'Write a time such as 10 min, 2 h or 90 s.';
}
