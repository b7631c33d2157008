import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { scenes } from '../e2e/scene.js';
import { schemathesis } from '../servers/schemathesis.js';

const OPERATOR_TOKEN = 'operator-token-of-more-than-32-characters';
const WALLET_DEV_TOKEN = 'open-the-wallet';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];
/** The tenant of the token: another one would be refused before anything else is checked. */
const CONFIG = '[parameters]\n"path.tenantId" = "demo"\n';

describe('generated requests (schemathesis)', function () {
  const open = scenes();
  // The schema of a condition refers to itself: a body of a rule has hundreds of forms.
  this.timeout(800_000);

  it('get no 5xx and no answer that the OpenAPI document lacks', async function () {
    const run = schemathesis();
    if (run === undefined) return this.skip();
    const folder = open.keep(await mkdtemp(join(tmpdir(), 'mirzam-schemathesis-')), (one) =>
      rm(one, { recursive: true, force: true }),
    );
    await writeFile(join(folder, 'schemathesis.toml'), CONFIG);
    const { url, api } = await open.service({ LEDGER: 'on', OPERATOR_TOKEN, WALLET_DEV_TOKEN });
    const headers = {
      'X-Auth-Token': api.token,
      'X-Operator-Token': OPERATOR_TOKEN,
      'X-Vault-Token': WALLET_DEV_TOKEN,
    };
    const options = {
      checks: CHECKS.join(),
      phases: 'examples,coverage,fuzzing',
      'max-examples': '5',
      // Python 3.11 can fail with two: "AST constructor recursion depth mismatch".
      workers: '1',
      seed: '1',
      'request-timeout': '60',
      'generation-database': 'none',
      // Answers that do not end; the deletion of the tenant, which answers 503 to all else of it; bodies that are no text.
      'exclude-path-regex': '/events$|^/operator/tenants/[^/]+$|/remote-write$',
    };
    const { status, output } = await run(folder, [
      'run',
      `${url}/openapi.json`,
      '--no-shrink',
      ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ]);
    expect(status, output).to.equal(0);
    expect(Number(/(\d+) generated/.exec(output)?.[1]), output).to.be.greaterThan(1_000);
    return undefined;
  });
});
