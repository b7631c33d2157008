import type { ChangeNote } from '../actors/kind.js';

/** Maximum number of characters of the JSON of a member of `before` and `after`. */
const MEMBER_CHARACTERS = 2_000;

type Members = Readonly<Record<string, unknown>>;

/** Returns the note of what an action has made. */
export function noteOf(what: string, target: string, after?: Members): ChangeNote {
  return { what, target, ...(after === undefined ? {} : { after: shortened(after) }) };
}

/** Returns the note of what is there no more, or of an end. */
export function endNote(what: string, target: string, before: Members): ChangeNote {
  return { what, target, before: shortened(before) };
}

/** Returns the note of the members that differ, and of `name` if it has one; undefined if none differs. */
export function changeNote(target: string, before: Members, after: Members): ChangeNote | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (differing.length === 0) return undefined;
  const isShown = (name: string): boolean => name === 'name' || differing.includes(name);
  const shown = (members: Members): Members =>
    shortened(Object.fromEntries(Object.entries(members).filter(([name]) => isShown(name))));
  return { what: 'change', target, before: shown(before), after: shown(after) };
}

/** Returns the url without what may be a credential: user, password, path and query. */
export function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return '…';
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}/${pathname + search === '/' ? '' : '…'}`;
}

/** Replaces members that are long: the size of an entry is limited. */
function shortened(members: Members): Members {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      const { length } = JSON.stringify(value) ?? '';
      return [name, length <= MEMBER_CHARACTERS ? value : `… (${length} characters)`];
    }),
  );
}
