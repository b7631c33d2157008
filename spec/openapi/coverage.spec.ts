import { expect } from 'chai';
import { READ, type Route, route } from '../../src/http/router.js';
import { isOperation, routeFinder } from '../../src/openapi/coverage.js';
import type { OpenApiDocument } from '../../src/openapi/open-api.js';
import { methodAndPath } from '../../src/openapi/operation.js';
import { apiParts } from '../../src/openapi/parts.js';
import { scenes } from '../e2e/scene.js';

const parts = apiParts(100);

/** Compares routes with operations, both ways: one sentence for each difference. HEAD needs no operation. */
function differences(routes: readonly Route[]) {
  const routeOf = routeFinder(routes);
  const documented = new Set<string>();
  const unserved: string[] = [];
  for (const { tag, operations } of parts) {
    for (const key of Object.keys(operations)) {
      const { method, path } = methodAndPath(key);
      const found = routeOf(method, path);
      if (found === undefined)
        unserved.push(`${key} is documented in the part "${tag}", and no route serves it`);
      else documented.add(`${method} ${found.pattern}`);
    }
  }
  const undocumented = routes
    .filter(isOperation)
    .flatMap(({ methods, pattern }) => methods.map((method) => `${method} ${pattern}`))
    .filter((one) => !one.startsWith('HEAD ') && !documented.has(one))
    .map((one) => `${one} has no document: add an operation to a part of src/openapi/parts.ts`);
  return { undocumented, unserved };
}

describe('the OpenAPI document and the routes', () => {
  const open = scenes();
  const served = async (settings: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const { url } = await open.service(settings);
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
    return Object.keys(paths);
  };

  it('are the same, method by method, of a service with all its parts', async () => {
    const { routes } = await open.service({ LEDGER: 'on' });
    expect(differences(routes)).to.deep.equal({ undocumented: [], unserved: [] });
  });

  it('differ where a route has no operation, or an operation no route', async () => {
    const { routes } = await open.service({ LEDGER: 'on' });
    const more = [
      ...routes,
      route(READ, '/new/:id', () => undefined),
      route(['PUT'], '/version', () => undefined),
    ];
    expect(differences(more).undocumented).to.deep.equal([
      'GET /new/:id has no document: add an operation to a part of src/openapi/parts.ts',
      'PUT /version has no document: add an operation to a part of src/openapi/parts.ts',
    ]);
    const fewer = routes.filter(({ pattern }) => pattern !== '/version');
    expect(differences(fewer).unserved).to.deep.equal([
      'GET /version is documented in the part "Service", and no route serves it',
    ]);
  });

  it('leave out what the settings leave out', async () => {
    const whole = await served({ LEDGER: 'on' });
    const without = await served({});
    const ledger = whole.filter((path) => !without.includes(path));
    expect(ledger).to.include.members(['/entity', '/ledger/verify', '/vault/v1/ethereum/accounts']);
    expect(without.filter((path) => /^\/(entity|ledger|ngsi-ld|vault)\b/.test(path))).to.deep.equal([]);
    expect(without).to.include.members(['/health', '/v1.0/{tenantId}/rules']);
  });
});
