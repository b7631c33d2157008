import { useState } from 'preact/hooks';
import { isoOf } from '../../../../src/system/iso.js';
import { CopyButton } from '../../ui/copy.js';
import { counted } from '../../ui/number.js';
import { Cut } from '../../ui/text.js';

/** Longest string that is shown whole, characters. */
const STRING_SHOWN = 300;
/** Maximum number of members that are shown until the viewer asks for all of them. */
const MEMBERS_SHOWN = 50;
/** Levels that are open at first. */
const OPEN_LEVELS = 2;

/** A value as a tree whose objects and lists open and close. Strings are text, cut where they are long. */
export function JsonTree({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <div class="tree" role="group" aria-label={label}>
      <Value value={value} level={0} />
      <CopyButton text={JSON.stringify(value, null, 2)} label={label} />
    </div>
  );
}

/** From 2001 to 2286: other numbers of a context are far smaller, or far larger. */
function isTime(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1e12 && (value as number) < 1e13;
}

interface ValueProps {
  readonly name?: string | undefined;
  readonly value: unknown;
  readonly level: number;
}

function Value({ name, value, level }: ValueProps) {
  const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (isBranch) return <Branch name={name} value={value} level={level} />;
  return (
    <div class="leaf">
      <Name name={name} />
      {typeof value === 'string' ? (
        <bdi class="string" dir="auto">
          “<Cut text={value} most={STRING_SHOWN} lines />”
        </bdi>
      ) : (
        <span class="scalar">
          {JSON.stringify(value)}
          {isTime(value) && <span class="quiet-text"> ({isoOf(value)})</span>}
        </span>
      )}
    </div>
  );
}

function Name({ name }: Pick<ValueProps, 'name'>) {
  if (name === undefined) return null;
  return (
    <span class="member">
      <Cut text={name} most={STRING_SHOWN} />:{' '}
    </span>
  );
}

function Branch({ name, value, level }: ValueProps & { readonly value: object }) {
  const [open, setOpen] = useState(level < OPEN_LEVELS);
  const [all, setAll] = useState(false);
  const members = Object.entries(value);
  const size = counted(members.length, Array.isArray(value) ? 'item' : 'member');
  const shown = all ? members : members.slice(0, MEMBERS_SHOWN);
  return (
    <details class="branch" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span class="size">{size}</span>
      </summary>
      {open && (
        <div class="members">
          {shown.map(([key, member]) => (
            <Value key={key} name={key} value={member} level={level + 1} />
          ))}
          {shown.length < members.length && (
            <button type="button" class="link" onClick={() => setAll(true)}>
              show all {size}
            </button>
          )}
        </div>
      )}
    </details>
  );
}
