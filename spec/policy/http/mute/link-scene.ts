import { expect } from 'chai';
import { muteGroup, muteRoutes } from '../../../../src/policy/http/mute/mute-routes.js';
import type { Policy } from '../../../../src/policy/policy.js';
import { createMuteLinks } from '../../../../src/policy/mute/mute-links.js';
import { durableSecret } from '../../../../src/store/durable-texts.js';
import { type Edge, edges } from '../../../http/edge.js';
import { DRAFT, policyScene, type PolicyScene, URL_1 } from '../../policy-scene.js';

/** Type of the forms that browsers send. */
export const FORM = 'application/x-www-form-urlencoded';

/** A node that answers links of mails. */
export interface LinkNode {
  /** Returns the link of a subscription of `acme`: that of the scene on `web-1`, unless given another. */
  readonly linkOf: (subscriptionId?: string, serverId?: string) => string;
  readonly logged: Edge['logged'];
}

/** A subscription on `web-1` of a tenant `acme`, with links that mute it. */
export interface LinkScene {
  readonly policy: PolicyScene;
  readonly subscriptionId: string;
  /** Starts a node on the store, with these operations. */
  node(operations?: Policy): Promise<LinkNode>;
  /** Returns the end of the mute of a subscription; undefined if it never was muted. */
  mutedUntil(subscriptionId?: string): Promise<number | undefined>;
}

/** Registers hooks for a `describe`: each spec has a scene of its own. */
export function linkScenes(): LinkScene {
  const start = edges();
  let policy: PolicyScene;
  let subscriptionId: string;
  beforeEach(async () => {
    policy = await policyScene({ fed: false });
    const [ruleId = ''] = await policy.policy.servers.addRules('acme', 'web-1', [DRAFT]);
    subscriptionId = await policy.add({ ruleId, url: URL_1 });
  });
  afterEach(() => policy.close());

  return {
    get policy() {
      return policy;
    },
    get subscriptionId() {
      return subscriptionId;
    },
    async node({ mutes } = policy.policy) {
      const links = createMuteLinks(await durableSecret(policy.store, 'mute'));
      const now = () => policy.now;
      const { url, logged } = await start([muteRoutes({ mutes, links, now })], { groups: [muteGroup] });
      return {
        logged,
        linkOf(id = subscriptionId, serverId = 'web-1') {
          const path = { tenantId: 'acme', serverId, subscriptionId: id };
          return `${url}/mute/${links.sign(path, policy.now)}`;
        },
      };
    },
    mutedUntil: async (id = subscriptionId) => (await policy.get(id)).mutedUntil,
  };
}

/** Sends a form to a link. `type` is null for a body that has its own. */
export function post(link: string, body: string | FormData, type: string | null = FORM): Promise<Response> {
  return fetch(link, {
    method: 'POST',
    body,
    ...(type === null ? {} : { headers: { 'content-type': type } }),
  });
}

/** Resolves with the page of an answer. */
export async function pageIn(answer: Response): Promise<string> {
  const text = await answer.text();
  expect(answer.status, text).to.equal(200);
  expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
  return text;
}

/** Returns the hidden fields of a page's forms, by the text of their buttons. */
export function formsIn(page: string): Readonly<Record<string, string>> {
  const forms = page.matchAll(
    /<form method="post">\s*<input type="hidden" name="(?<name>[^"]*)" value="(?<value>[^"]*)" \/>\s*<button>(?<label>[^<]*)<\/button>/g,
  );
  return Object.fromEntries(
    [...forms].map(({ groups }) => [groups!['label']!, `${groups!['name']}=${groups!['value']}`]),
  );
}
