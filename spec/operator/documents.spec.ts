import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { documentRoutes } from '../../src/operator/documents.js';
import { edges } from '../http/edge.js';

describe('documents', () => {
  const start = edges();

  it('are linked from the root, which names the service and its version', async () => {
    const { url } = await start([documentRoutes('1.2.3')]);
    const root = (await (await fetch(url)).json()) as { docs: string[] };
    expect(root).to.deep.equal({
      name: 'mirzam',
      version: '1.2.3',
      docs: [
        '/docs/policy-api',
        '/docs/ledger-api',
        '/docs/settings',
        '/docs/operations',
        '/docs/security',
        '/docs/glossary',
      ],
      health: '/health',
      operator: [
        '/metrics',
        '/operator/actors',
        '/operator/deliveries',
        '/operator/events',
        '/operator/accounts',
        '/operator/inbox',
      ],
    });
    for (const path of root.docs) {
      const response = await fetch(url + path);
      expect(response.headers.get('content-type'), path).to.equal('text/plain; charset=utf-8');
      const file = new URL(`../../..${path}.md`, import.meta.url);
      expect(await response.text(), path).to.equal(await readFile(file, 'utf8'));
    }
  });
});
