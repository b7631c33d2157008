import { expect } from 'chai';
import type { OpenApiDocument } from '../../src/openapi/open-api.js';
import { RECEIVER, SERVICE } from '../../src/openapi/policy/examples.js';
import { type ApiAnswer, request } from '../e2e/api-client.js';
import { scenes } from '../e2e/scene.js';
import { until } from '../ledger/scene.js';
import { documentReader, schemaFor } from './documented.js';
import { credentials, filledIn } from './requests.js';
import { storyOf, type Told } from './story.js';
import { writtenValues } from './written-values.js';

const TOKENS = { OPERATOR_TOKEN: 'let-the-operators-in', WALLET_DEV_TOKEN: 'open-the-wallet' };
/** Operations without an example. */
const WITHOUT: readonly string[] = [
  // Its answer does not end.
  'readEvents',
  // Its answer is long, and full of secrets.
  'exportAll',
  // The other examples need what it deletes.
  'deleteTenant',
  // Its answer is not text.
  'showImage',
  // Its body is not text.
  'writeSamples',
];
/** Requests that may be repeated until the service has come to the answer. */
const REPEATABLE = new Set(['GET', 'PUT', 'DELETE']);

describe('the examples of the OpenAPI document', () => {
  const open = scenes();

  it('are there for each operation, but for those that cannot have one', async () => {
    const { url } = await open.service({ LEDGER: 'on' });
    const reader = documentReader((await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument);
    const told = new Set(storyOf(reader).map(({ documented: { operation } }) => operation.operationId));
    const without = reader.operations
      .map(({ operation }) => operation.operationId)
      .filter((id) => !told.has(id));
    expect(without).to.have.members(WITHOUT);
  });

  it('are answered as written, in the order of the document', async () => {
    const { url, api } = await open.service({ LEDGER: 'on', LEDGER_FINALITY: '1', ...TOKENS });
    const receiver = await open.receiver((response, { url }) =>
      response.writeHead(url === '/taken' ? 200 : 400).end('no such hook'),
    );
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
    const reader = documentReader(document);
    const values = writtenValues(reader);
    values.bind(new URL(RECEIVER).origin, receiver.origin);
    values.bind(SERVICE, url);

    const secrets = { tenant: api.token, operator: TOKENS.OPERATOR_TOKEN, vault: TOKENS.WALLET_DEV_TOKEN };

    const send = (told: Told): Promise<ApiAnswer> => {
      const { target, headers } = filledIn(told, values.actual);
      const given = values.actual(told.body);
      const isForm = told.type === 'application/x-www-form-urlencoded';
      const body = isForm ? new URLSearchParams(given as Record<string, string>).toString() : given;
      return request(url + target, told.documented.method, body, {
        ...(isForm ? { 'content-type': told.type } : {}),
        ...headers,
        ...credentials(told, secrets),
      });
    };
    const check = (
      { documented: { method, path, operation }, name, status, answer }: Told,
      got: ApiAnswer,
    ): void => {
      const at = `${method} ${path}, example ${name}`;
      expect(got.status, `${at}: ${got.text}`).to.equal(status);
      const type = got.headers.get('content-type') ?? '';
      const schema = schemaFor(reader.answer(operation, status)!.content ?? {}, type);
      expect(schema, `${at}: the document has no ${type}`).not.to.equal(undefined);
      const body = type.includes('json') ? got.body : got.text;
      expect(reader.faults(schema!, body), `${at}: ${got.text}`).to.equal('');
      expect(reader.faults(schema!, answer), `${at}: the example and its schema`).to.equal('');
      values.expectEqual(schema!, answer, body, at);
    };

    const story = storyOf(reader);
    expect(story.length).to.be.greaterThan(30);
    for (const told of story) {
      const ask = async (): Promise<void> => check(told, await send(told));
      if (REPEATABLE.has(told.documented.method)) await until(ask);
      else await ask();
    }
  });
});
