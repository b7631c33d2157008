import type { InboxMessage } from '../embedded/inbox.js';
import { Refusal } from '../errors.js';

/** Returns the mails of the development inbox, newest first. undefined: mails go to SMTP_URL. */
export type ReadInbox = (() => readonly InboxMessage[]) | undefined;

/** Returns the mails of the inbox. Throws `Refusal('not-found')` if there is no inbox. */
export function mailsIn(inbox: ReadInbox): readonly InboxMessage[] {
  if (inbox !== undefined) return inbox();
  throw new Refusal(
    'not-found',
    'there is no development inbox: mail goes to SMTP_URL, or nowhere in production',
  );
}

/** Returns one mail of the inbox. Throws `Refusal('not-found')`. */
export function mailIn(inbox: ReadInbox, id: string | undefined): InboxMessage {
  const mail = mailsIn(inbox).find((one) => one.id === id);
  if (mail !== undefined) return mail;
  throw new Refusal('not-found', 'the inbox has no such mail: it keeps the newest, until the service stops');
}
