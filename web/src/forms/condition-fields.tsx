import { Button } from '../ui/button.js';
import { ChoiceField, TextField } from '../ui/field.js';
import { ComparisonRow } from './comparison-row.js';
import {
  asFields,
  asJson,
  type ComparisonDraft,
  freeMetrics,
  type GroupDraft,
  isGroup,
  JOINTS,
  type MemberDraft,
  newComparison,
  placesIn,
} from './condition-draft.js';
import { jsonProblem } from './condition-json.js';
import { type DraftFieldsProps, FieldGroup } from './form-parts.js';

/** The service takes groups in groups up to this depth. */
const DEEPEST = 4;

/** The condition of a rule: comparisons and groups of them, or JSON. */
export function ConditionFields(props: DraftFieldsProps) {
  return (
    <FieldGroup legend="Condition" problem={props.errorOf('condition')}>
      {props.draft.json === undefined ? <Fields {...props} /> : <Json {...props} />}
    </FieldGroup>
  );
}

function Fields({ draft, errorOf, onChange }: DraftFieldsProps) {
  const places = placesIn(draft);
  return (
    <>
      <p class="hint">Windows are compared once they are full.</p>
      <Members
        group={draft.group}
        depth={1}
        errorOf={(row, member) => errorOf([places.get(row) ?? '', member].filter(Boolean).join('.'))}
        onChange={(group) => onChange({ group })}
      >
        <Button kind="quiet" onClick={() => onChange(asJson(draft))}>
          Write as JSON
        </Button>
      </Members>
    </>
  );
}

interface MembersProps {
  readonly group: GroupDraft;
  /** 1 for the condition itself. */
  readonly depth: number;
  /** The problem of a member of a comparison; of `''`: that of its metric. */
  readonly errorOf: (row: ComparisonDraft, member: string) => string | undefined;
  readonly onChange: (group: GroupDraft) => void;
  /** Further buttons. */
  readonly children?: preact.ComponentChildren;
}

/** The comparisons and groups of a group, and how they are joined. */
function Members({ group, depth, errorOf, onChange, children }: MembersProps) {
  const { joint, members } = group;
  const free = freeMetrics(members);
  const replace = (index: number, by: MemberDraft): void =>
    onChange({ ...group, members: members.map((one, i) => (i === index ? by : one)) });
  const remove = (index: number): void =>
    onChange({ ...group, members: members.filter((_, i) => i !== index) });
  const add = (member: MemberDraft): void => onChange({ ...group, members: [...members, member] });
  return (
    <>
      {(members.length > 1 || joint !== 'all') && (
        <ChoiceField
          label={depth === 1 ? 'The rule holds while' : 'The group holds while'}
          value={joint}
          options={JOINTS}
          onChange={(chosen) => onChange({ ...group, joint: chosen as GroupDraft['joint'] })}
        />
      )}
      {members.map((member, index) => {
        const onRemove = members.length === 1 ? undefined : () => remove(index);
        return isGroup(member) ? (
          <fieldset class="condition-group" key={index}>
            <legend>Group</legend>
            <Members
              group={member}
              depth={depth + 1}
              errorOf={errorOf}
              onChange={(changed) => replace(index, changed)}
            >
              <Button kind="quiet" disabled={onRemove === undefined} onClick={() => onRemove?.()}>
                Remove the group
              </Button>
            </Members>
          </fieldset>
        ) : (
          <ComparisonRow
            key={index}
            draft={member}
            free={free}
            errorOf={(field) => errorOf(member, field)}
            onChange={(part) => replace(index, { ...member, ...part })}
            onRemove={onRemove}
          />
        );
      })}
      <div class="button-row">
        <Button kind="quiet" onClick={() => add(newComparison(members))}>
          Add a comparison
        </Button>
        {depth < DEEPEST && (
          <Button kind="quiet" onClick={() => add({ joint: 'any', members: [newComparison()] })}>
            Add a group
          </Button>
        )}
        {children}
      </div>
    </>
  );
}

function Json({ draft, onChange }: DraftFieldsProps) {
  const { json = '' } = draft;
  const fields = asFields(draft);
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
        onChange={(text) => onChange({ json: text })}
      />
      {fields !== undefined && (
        <div class="button-row">
          <Button kind="quiet" onClick={() => onChange(fields)}>
            Show as fields
          </Button>
        </div>
      )}
    </>
  );
}
