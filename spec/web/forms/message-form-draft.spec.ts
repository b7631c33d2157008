import { expect } from 'chai';
import { pageModule } from './page-module.js';

interface Draft {
  readonly url: string;
  readonly service: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly contentType: string;
  readonly body: string;
}

/** What the forms use of `message-form-draft.ts`. */
interface Drafts {
  readonly SERVICES: readonly (readonly [value: string, words: string])[];
  readonly NEW_MESSAGE_FORM: Draft;
  readonly chosenService: (draft: Draft, service: string) => Partial<Draft>;
  readonly leftToReplace: (draft: Draft) => readonly string[];
  readonly messageFormBody: (draft: Draft) => object;
}

describe('the draft of where messages go', () => {
  let drafts: Drafts;
  before(async () => {
    drafts = (await pageModule('forms/message-form-draft.ts')) as unknown as Drafts;
  });
  const choose = (draft: Draft, service: string): Draft => ({
    ...draft,
    ...drafts.chosenService(draft, service),
  });

  it('has no member that the plain webhook does not need', () => {
    const draft = { ...drafts.NEW_MESSAGE_FORM, url: 'https://example.org/' };
    expect(drafts.messageFormBody(draft)).to.deep.equal({ url: 'https://example.org/' });
    const named = { ...draft, service: 'alertmanager', headers: [{ name: ' X-Key ', value: ' a ' }] };
    expect(drafts.messageFormBody(named)).to.deep.equal({
      url: 'https://example.org/',
      format: 'alertmanager',
      headers: { 'X-Key': 'a' },
    });
  });

  it('takes the template and the headers of a service, and takes them back with the next choice', () => {
    const own = { ...drafts.NEW_MESSAGE_FORM, headers: [{ name: 'X-Own', value: '1' }] };
    const opsgenie = choose(own, 'Opsgenie');
    expect(drafts.messageFormBody(opsgenie)).to.deep.include({
      format: 'template',
      headers: { 'X-Own': '1', Authorization: 'GenieKey API_KEY' },
    });
    expect(opsgenie.body).to.include('"alias": "{{subscriptionId}}');
    // A secret that was typed for one service is not sent to another.
    const typed = {
      ...opsgenie,
      headers: opsgenie.headers.map(({ name }) => ({ name, value: 'GenieKey secret' })),
    };
    expect(JSON.stringify(choose(typed, 'CloudEvents').headers)).to.not.include('Authorization');
    expect(choose(typed, 'ntfy').headers.at(-1)).to.deep.equal({
      name: 'Authorization',
      value: 'Bearer ACCESS_TOKEN',
    });
  });

  it('fills the address of a service that has the same one for everybody', () => {
    const pager = choose(drafts.NEW_MESSAGE_FORM, 'PagerDuty');
    expect(pager.url).to.equal('https://events.pagerduty.com/v2/enqueue');
    expect(choose(pager, 'Slack').url).to.equal('');
    expect(choose({ ...pager, url: 'https://proxy.example.org/' }, 'Slack').url).to.equal(
      'https://proxy.example.org/',
    );
  });

  it('names what is to be replaced in each service, until it is', () => {
    for (const [service] of drafts.SERVICES) {
      const draft = choose(drafts.NEW_MESSAGE_FORM, service);
      const replaced = {
        ...draft,
        body: draft.body.replaceAll(/\b(?:CHAT|TOPIC|INTEGRATION_KEY)\b/g, 'x'),
        headers: draft.headers.map(({ name }) => ({ name, value: 'x' })),
      };
      expect(drafts.leftToReplace(replaced), service).to.deep.equal([]);
    }
    const left = (service: string) => drafts.leftToReplace(choose(drafts.NEW_MESSAGE_FORM, service));
    expect(left('ntfy')).to.deep.equal(['ACCESS_TOKEN', 'TOPIC']);
    expect(left('PagerDuty')).to.deep.equal(['INTEGRATION_KEY']);
    expect(left('Slack')).to.deep.equal([]);
  });
});
