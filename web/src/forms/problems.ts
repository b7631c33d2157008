/** Problems of a request by the field that each is about; `''`: those about no field of the form. */
export type Problems = ReadonlyMap<string, string>;

/** The beginning of a problem: the path of a member, a colon, a blank. */
const MEMBER = /^([A-Za-z]\w*(?:\.\w+|\[\d+\])*): /;
const JOINT = '; ';

/**
 * Splits the message of a refusal, `condition.cpu.value: must be …; name: must be …`, into its problems. `fields` are the
 * members that the form has. A problem of another member stays whole, at the nearest field above it. The field of a
 * number takes numbers, not JSON.
 */
export function problemsIn(message: string, fields: readonly string[]): Problems {
  const problems = new Map<string, string>();
  let field = '';
  for (const part of message.split(JOINT)) {
    const [start = '', member = ''] = MEMBER.exec(part) ?? [];
    // Any other part continues the problem before it.
    if (isMember(member, fields)) field = fieldAbove(member, fields);
    const text = field === member ? part.slice(start.length).replace('a JSON number', 'a number') : part;
    const before = problems.get(field);
    problems.set(field, before === undefined ? text : before + JOINT + text);
  }
  return problems;
}

const BODY = 'body';

function isMember(path: string, fields: readonly string[]): boolean {
  const [root] = path.split(/[.[]/, 1);
  return path === BODY || (path !== '' && fields.some((field) => field.split('.', 1)[0] === root));
}

/** Returns the field of a member, else of the nearest object around it that is a field, else ''. */
function fieldAbove(member: string, fields: readonly string[]): string {
  for (
    let path = member;
    path !== '';
    path = path.slice(0, Math.max(0, path.lastIndexOf('.'), path.lastIndexOf('[')))
  ) {
    if (fields.includes(path)) return path;
  }
  return '';
}
