/** The answers of `/console/api/inbox`. Times are ISO 8601, UTC. */

/** GET /console/api/inbox?before=&limit=: mails of the development inbox (operator), newest first */
export interface InboxView {
  readonly mails: readonly MailRowView[];
  readonly next: string | null;
}

export interface MailRowView {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly receivedAt: string;
}

/** GET /console/api/inbox/{id}. Its HTML is at /console/mail/{id}. */
export interface MailView extends MailRowView {
  readonly text: string;
  readonly hasHtml: boolean;
  readonly headers: Readonly<Record<string, string>>;
}
