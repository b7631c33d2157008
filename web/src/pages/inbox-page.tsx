import type { InboxView, MailRowView, MailView } from '../../../src/console/shapes.js';
import { useQuery } from '../query.js';
import { pathTo, queryValue, withQuery } from '../router.js';
import { Answer, Empty } from '../ui/answer.js';
import { Code } from '../ui/code.js';
import { Link } from '../ui/link.js';
import { DetailList, Page } from '../ui/page.js';
import { Pager } from '../ui/pager.js';
import { OfTenant, TenantLink } from '../ui/tenant-name.js';
import { Id } from '../ui/text.js';
import { Time } from '../ui/time.js';

const API = '/console/api/inbox';
const PAGE_SIZE = '50';
const EVERY_MS = 5_000;

/** The mails of the development inbox: a list, and one mail as a mail program shows it. */
export function InboxPage() {
  const [before, chosen] = [queryValue('before'), queryValue('mail')];
  const query = useQuery<InboxView>(withQuery(API, { before, limit: PAGE_SIZE }), {
    on: ['delivery'],
    every: EVERY_MS,
  });
  return (
    <Page title="Inbox">
      <p class="lead">
        In development the service sends no mails. The newest thousand are kept here until it stops.
      </p>
      <Answer query={query}>
        {({ mails, next }) =>
          mails.length === 0 && before === '' ? (
            <Empty title="No mail yet." text="A rule with an e-mail action that fires sends one." />
          ) : (
            <div class={chosen === '' ? 'inbox' : 'inbox reading'}>
              <div class="mails">
                <ul aria-label="Mails">
                  {mails.map((mail) => (
                    <li key={mail.id}>
                      <Link
                        to={withQuery(pathTo('inbox'), { before, mail: mail.id })}
                        class="mail-link"
                        current={mail.id === chosen}
                      >
                        <span class="mail-subject">
                          <Id text={subjectOf(mail)} plain />
                        </span>
                        <span class="mail-line">
                          <span>
                            <Id text={mail.to} plain />
                            {mail.tenantId !== null && <OfTenant id={mail.tenantId} />}
                          </span>
                          <Time at={mail.receivedAt} />
                        </span>
                      </Link>
                    </li>
                  ))}
                </ul>
                <Pager name="before" next={next} />
              </div>
              {chosen !== '' && (
                <Mail key={chosen} id={chosen} back={withQuery(pathTo('inbox'), { before })} />
              )}
            </div>
          )
        }
      </Answer>
    </Page>
  );
}

function subjectOf({ subject }: Pick<MailRowView, 'subject'>): string {
  return subject === '' ? '(no subject)' : subject;
}

function Mail({ id, back }: { readonly id: string; readonly back: string }) {
  const query = useQuery<MailView>(`${API}/${encodeURIComponent(id)}`);
  return (
    <article class="mail" aria-label="Mail">
      <Answer query={query}>
        {(mail) => (
          <>
            <header class="mail-head">
              <h2>
                <Id text={subjectOf(mail)} />
              </h2>
              <Link to={back} class="mail-close">
                Close
              </Link>
            </header>
            <DetailList
              rows={[
                ['From', <Id text={mail.from} />],
                ['To', <Id text={mail.to} />],
                mail.tenantId !== null && ['Tenant', <TenantLink id={mail.tenantId} list="servers" />],
                ['Received', <Time at={mail.receivedAt} />],
              ]}
            />
            {mail.hasHtml && (
              // No scripts, no forms, an origin of its own: the HTML of a mail is anybody's.
              <iframe
                class="mail-frame"
                title="The mail as it looks"
                sandbox=""
                src={`/console/mail/${encodeURIComponent(id)}`}
              />
            )}
            <details class="fold" open={!mail.hasHtml}>
              <summary>Text</summary>
              <Code text={mail.text} label="Text of the mail" />
            </details>
            <details class="fold">
              <summary>Headers</summary>
              <Code text={headersText(mail.headers)} label="Headers of the mail" />
            </details>
          </>
        )}
      </Answer>
    </article>
  );
}

function headersText(headers: MailView['headers']): string {
  return Object.entries(headers)
    .flatMap(([name, values]) => values.split('\n').map((value) => `${name}: ${value}`))
    .join('\n');
}
