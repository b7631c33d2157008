import type { InboxMessage } from '../../embedded/inbox.js';
import { Refusal } from '../../errors.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { onlyOf, plain, wholeNumber } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import type { InboxView, MailRowView, MailView } from '../shapes.js';
import { operatorOnly } from '../viewer.js';

const LIMIT = 100;
const LIMIT_MAX = 1_000;

/** Routes of the console's page of the development inbox, for operators. */
export function inboxRoutes(options: {
  /** Puts the viewer into `ctx.state`. */
  readonly viewer: EdgeMiddleware;
  /** Returns the mails, newest first. undefined if mails go to SMTP_URL. */
  readonly inbox: (() => readonly InboxMessage[]) | undefined;
}): readonly Route[] {
  const checks = [options.viewer, operatorOnly];
  const mails = (): readonly InboxMessage[] => {
    if (options.inbox === undefined) {
      throw new Refusal(
        'not-found',
        'there is no development inbox: mail goes to SMTP_URL, or nowhere in production',
      );
    }
    return options.inbox();
  };

  const list = route(READ, '/console/api/inbox', ...checks, (ctx) => {
    onlyOf(ctx, ['before', 'limit']);
    const before = plain(ctx, 'before');
    const limit = wholeNumber(ctx, 'limit', 1, LIMIT_MAX) ?? LIMIT;
    const all = mails();
    const start = before === undefined ? 0 : all.findIndex(({ id }) => id === before) + 1;
    if (before !== undefined && start === 0) {
      throw new Refusal('bad-request', 'before: must be the `next` of a page; that mail is no longer kept');
    }
    const page = all.slice(start, start + limit);
    const next = start + limit < all.length ? page.at(-1)!.id : null;
    ctx.body = { mails: page.map(rowOf), next } satisfies InboxView;
  });

  const one = route(READ, '/console/api/inbox/:id', ...checks, (ctx) => {
    const mail = mails().find(({ id }) => id === ctx.params['id']);
    if (mail === undefined) {
      throw new Refusal(
        'not-found',
        'the inbox has no such mail: it keeps the newest, until the service stops',
      );
    }
    const { text, html, headers } = mail;
    ctx.body = { ...rowOf(mail), text, hasHtml: html !== '', headers } satisfies MailView;
  });

  return [list, one];
}

function rowOf({ id, from, to, subject, receivedAt }: InboxMessage): MailRowView {
  return { id, from, to, subject, receivedAt };
}
