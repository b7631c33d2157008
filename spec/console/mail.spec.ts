import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { mailRoutes } from '../../src/console/mail-routes.js';
import type { Viewer } from '../../src/console/viewer.js';
import { type Inbox, startInbox } from '../../src/embedded/inbox.js';
import { edges } from '../http/edge.js';

const HOSTILE =
  '<style>p { color: red }</style><p onclick="alert(1)">Alarm</p><script>alert(1)</script>' +
  '<img src="https://evil.example/seen.png"><form action="https://evil.example"></form>';

describe('mails of the development inbox', () => {
  const start = edges();
  let inbox: Inbox;
  beforeEach(async () => {
    inbox = await startInbox({ max: 10 });
  });
  afterEach(() => inbox.close());

  const served = async (viewer: Viewer = { kind: 'operator' }): Promise<string> =>
    (await start([mailRoutes({ findViewer: async () => viewer, inbox: () => inbox.messages() })])).url;

  /** Sends a mail. Returns its id in the inbox. */
  const sent = async (mail: { html?: string; text?: string }): Promise<string> => {
    const transport = createTransport({ url: inbox.url });
    await transport.sendMail({ from: 'a@example.org', to: 'b@example.org', subject: 'Alarm', ...mail });
    transport.close();
    return inbox.messages()[0]!.id;
  };

  it('are shown as they look, in a sandbox without scripts, requests and forms', async () => {
    const url = await served();
    const response = await fetch(`${url}/console/mail/${await sent({ html: HOSTILE })}`);
    expect(response.status).to.equal(200);
    expect(await response.text()).to.include('<p onclick="alert(1)">Alarm</p>');
    const { headers } = response;
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).to.equal(
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'",
    );
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(headers.get('cache-control')).to.equal('no-store');
  });

  it('without HTML are shown as text', async () => {
    const url = await served();
    const response = await fetch(`${url}/console/mail/${await sent({ text: HOSTILE })}`);
    expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect((await response.text()).trim()).to.equal(HOSTILE);
  });

  it('are for operators, and 404 once they are gone', async () => {
    const id = await sent({ html: HOSTILE });
    const tenant = await served({ kind: 'tenant', tenantId: 'a1', tenantName: 'acme' });
    expect((await fetch(`${tenant}/console/mail/${id}`)).status).to.equal(403);
    const url = await served();
    expect((await fetch(`${url}/console/mail/${id}x`)).status).to.equal(404);
    const { url: without } = await start([
      mailRoutes({ findViewer: async () => ({ kind: 'operator' }), inbox: undefined }),
    ]);
    expect((await fetch(`${without}/console/mail/${id}`)).status).to.equal(404);
  });
});
