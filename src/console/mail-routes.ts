import { setPageHeaders } from '../http/page-headers.js';
import { READ, type Route, route } from '../http/router.js';
import { mailIn, type ReadInbox } from '../operator/inbox.js';
import { operatorOnly, type FindViewer, viewer } from './viewer.js';

/**
 * Policy of a mail, whose HTML is untrusted: no script, no request, no form, an origin of its own (`sandbox`). Only pages
 * of the service may frame it.
 */
const MAIL_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'sandbox',
  "frame-ancestors 'self'",
].join('; ');

/** The route that shows a mail of the development inbox as a mail program does: its HTML, else its text. For operators. */
export function mailRoutes(options: {
  readonly findViewer: FindViewer;
  readonly inbox: ReadInbox;
}): readonly Route[] {
  return [
    route(READ, '/console/mail/:id', viewer(options.findViewer), operatorOnly, (ctx) => {
      const mail = mailIn(options.inbox, ctx.params['id']);
      setPageHeaders(ctx.res, MAIL_POLICY);
      ctx.set('Cache-Control', 'no-store');
      ctx.type = mail.html === '' ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8';
      ctx.body = mail.html === '' ? mail.text : mail.html;
    }),
  ];
}
