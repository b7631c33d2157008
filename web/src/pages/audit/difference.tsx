import type { ChangeView } from '../../../../src/operator/shapes.js';
import { Cut } from '../../ui/text.js';

/** Longest value that a line shows, characters. */
const SHOWN = 300;

/** The members of a change, a line each: as it was, and as it is. */
export function Difference({ before = {}, after = {} }: Pick<ChangeView, 'before' | 'after'>) {
  const [old, made] = [before, after] as readonly Readonly<Record<string, unknown>>[];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  if (names.length === 0) return <>–</>;
  return (
    <ul class="ways">
      {names.map((name) => (
        <Member key={name} name={name} old={textOf(old![name])} made={textOf(made![name])} />
      ))}
    </ul>
  );
}

interface MemberProps {
  readonly name: string;
  /** undefined: it was not there. */
  readonly old: string | undefined;
  /** undefined: it is not there any more. */
  readonly made: string | undefined;
}

function Member({ name, old, made }: MemberProps) {
  return (
    <li>
      <strong>{name}</strong>{' '}
      {old === made ? (
        <Cut text={made ?? ''} most={SHOWN} />
      ) : (
        <>
          {old !== undefined && (
            <del>
              <Cut text={old} most={SHOWN} />
            </del>
          )}{' '}
          {made !== undefined && (
            <ins>
              <Cut text={made} most={SHOWN} />
            </ins>
          )}
        </>
      )}
    </li>
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
