import type { Author } from '../actors/kind.js';
import type { EdgeContext, EdgeState } from './context.js';
import type { Session } from './session.js';

/** The name of an operator who has shown OPERATOR_TOKEN, where a user's name is recorded. */
const OPERATOR = 'operator';

/** Who has used the link of a mail: it does not say which of the mail's readers. */
const MAIL_LINK: Author = { who: 'link of a mail', via: 'mail' };

/** The User-Agent of the command line, before its version. */
const COMMAND_AGENT = 'mirzam-command/';
/** Maximum number of characters of a name. */
const NAME_LENGTH = 256;

/** Returns who makes the changes of a request. undefined if nothing is audited. */
export interface Authors {
  /** Of a request with a token, a session, or the access of operators. */
  readonly of: (ctx: EdgeContext) => Author | undefined;
  /** Of a request with the link of a mail. */
  readonly mailLink: Author | undefined;
}

/** Makes the reading of authors. `audited`: false if nothing is audited. */
export function authorsOf(audited: boolean): Authors {
  if (!audited) return { of: () => undefined, mailLink: undefined };
  return {
    of: (ctx) => ({ who: whoOf(ctx.state).slice(0, NAME_LENGTH), via: viaOf(ctx) }),
    mailLink: MAIL_LINK,
  };
}

/** Returns the user's name as the token has it, else that of the tenant; an operator's if the session has it. */
function whoOf({ user, principal, session }: Partial<EdgeState>): string {
  if (user !== undefined) return user;
  if (principal !== undefined) return principal.user ?? principal.tenant.name;
  return operatorName(session);
}

/** Returns the name of an operator: that of a login at an OpenID provider, else `operator`. */
export function operatorName(session: Session | undefined): string {
  const holder = session?.holder;
  return (holder?.kind === 'operator' ? holder.user : undefined) ?? OPERATOR;
}

function viaOf(ctx: EdgeContext): string {
  const { session, isOperator, principal } = ctx.state as Partial<EdgeState>;
  // The page of the console has no session where operators are let in by their address. No program sends this header.
  if (session !== undefined || ctx.get('sec-fetch-site') === 'same-origin') return 'console';
  if (ctx.get('user-agent').startsWith(COMMAND_AGENT)) return 'command';
  return isOperator === true || principal === undefined ? 'operator' : 'api';
}
