import { Refusal } from '../../../errors.js';
import type { RouteGroup } from '../../../http/route-groups.js';
import { formBody } from '../../../http/body/form-body.js';
import type { EdgeContext, EdgeMiddleware } from '../../../http/context.js';
import type { ErrorFormat } from '../../../http/failures/error-formats.js';
import { pageHeaders } from '../../../http/page-headers.js';
import { READ, type Route, route } from '../../../http/router.js';
import type { MuteLinks } from '../../mute/mute-links.js';
import { goneLinkPage, mutePage, mutePolicy, refusedPage, wishOf } from './mute-page.js';
import type { Mutes, SubscriptionPath } from '../../mute/mutes.js';

/** Maximum length of a form, bytes. */
const FORM_LIMIT = 4_096;

/** The errors of the link: pages for people. */
const muteErrors: ErrorFormat = ({ title, message, code }) => ({
  headers: mutePageHeaders(),
  body: code === 'not-found' ? goneLinkPage() : refusedPage(title, message),
});

/** The route group of the links in mails. Who sees the path of one may use it. */
export const muteGroup: RouteGroup = { prefix: '/mute', errors: muteErrors, secretPaths: true };

/**
 * Routes of the links in mails. They need no login: the link is the proof. GET and HEAD change nothing, because scanners
 * follow the links of mails. POST does: a form of the page, or the one click of a mail program (RFC 8058), which takes no
 * redirect. A query is ignored: mail services add to links.
 */
export function muteRoutes(options: {
  /** Their changes are those of a link. */
  readonly mutes: Mutes;
  readonly links: MuteLinks;
  readonly now: () => number;
}): readonly Route[] {
  const { mutes, links, now } = options;
  const body = formBody(FORM_LIMIT);

  const pathOf = (ctx: EdgeContext): SubscriptionPath => {
    // A link has no ending that asks for a format.
    const path = ctx.state.jsonSuffix ? undefined : links.read(ctx.params['signed'] ?? '', now());
    if (path === undefined) throw new Refusal('not-found', 'the link is wrong, or its 30 days are over');
    // The link is a credential of its tenant.
    ctx.state.permit.countForTenant(path.tenantId, true);
    return path;
  };
  const show = async (ctx: EdgeContext, path: SubscriptionPath): Promise<void> => {
    const shown = mutePage(await mutes.read(path));
    ctx.set(mutePageHeaders());
    ctx.body = shown;
  };
  const change: EdgeMiddleware = async (ctx) => {
    const path = pathOf(ctx);
    // The body of a stranger without a good link is not read.
    await mutes.read(path);
    const wish = wishOf(await body(ctx));
    if (wish === 'unmute') await mutes.unmute(path);
    else await mutes.mute(path, { for: wish });
    await show(ctx, path);
  };
  return [
    route(READ, '/mute/:signed', (ctx) => show(ctx, pathOf(ctx))),
    route(['POST'], '/mute/:signed', change),
  ];
}

/** Returns the headers of a page whose address is a secret: no cache keeps it, and no page learns it from a Referer. */
function mutePageHeaders(): Record<string, string> {
  return {
    ...pageHeaders(mutePolicy()),
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
  };
}
