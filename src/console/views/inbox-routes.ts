import type { InboxMessage } from '../../embedded/inbox.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { onlyOf, plain, wrongParameter } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import { mailIn, mailsIn, type ReadInbox } from '../../operator/inbox.js';
import { limitIn } from '../../operator/query.js';
import type { InboxView, MailRowView, MailView } from '../shapes.js';
import { operatorOnly } from '../viewer.js';

/** Routes of the console's page of the development inbox, for operators. */
export function inboxRoutes(options: {
  /** Puts the viewer into `ctx.state`. */
  readonly viewer: EdgeMiddleware;
  readonly inbox: ReadInbox;
}): readonly Route[] {
  const checks = [options.viewer, operatorOnly];
  const list = route(READ, '/console/api/inbox', ...checks, (ctx) => {
    onlyOf(ctx, ['before', 'limit']);
    const before = plain(ctx, 'before');
    const limit = limitIn(ctx);
    const all = mailsIn(options.inbox);
    const start = before === undefined ? 0 : all.findIndex(({ id }) => id === before) + 1;
    if (before !== undefined && start === 0) {
      throw wrongParameter('before', 'must be the `next` of a page; that mail is no longer kept');
    }
    const page = all.slice(start, start + limit);
    const next = start + limit < all.length ? page.at(-1)!.id : null;
    ctx.body = { mails: page.map(rowOf), next } satisfies InboxView;
  });

  const one = route(READ, '/console/api/inbox/:id', ...checks, (ctx) => {
    onlyOf(ctx, []);
    const mail = mailIn(options.inbox, ctx.params['id']);
    const { text, html, headers } = mail;
    ctx.body = { ...rowOf(mail), text, hasHtml: html !== '', headers } satisfies MailView;
  });

  return [list, one];
}

function rowOf({ id, from, to, subject, receivedAt }: InboxMessage): MailRowView {
  return { id, from, to, subject, receivedAt };
}
