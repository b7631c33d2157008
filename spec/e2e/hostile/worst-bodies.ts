// The worst known bodies by route, each at most 1 MiB.

export const MiB = 1024 ** 2;

/** Makes `count` items from their indexes. */
export function many<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** Repeats a text as often as fits into a body with its surroundings. */
export function fill(
  before: string,
  piece: string | ((i: number) => string),
  after: string,
  size = MiB - 64,
): string {
  const pieces: string[] = [];
  let length = before.length + after.length;
  for (let i = 0; ; i += 1) {
    const next = typeof piece === 'string' ? piece : piece(i);
    length += Buffer.byteLength(next);
    if (length > size) break;
    pieces.push(next);
  }
  return before + pieces.join('') + after;
}

const list = (pieces: (i: number) => string, before = '[', after = ']'): string =>
  fill(before, (i) => (i === 0 ? '' : ',') + pieces(i), after);

const rule = (i: number): object => ({
  name: `r${i}`,
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-email', email: 'a@example.org', body: 'b' },
});
const HASH = `0x${'ab'.repeat(32)}`;

/** Texts, JSON or nearly JSON, that are expensive to parse. */
export const texts: Readonly<Record<string, string>> = {
  'numbers in an array': list(() => '1'),
  'empty objects': list(() => '{}'),
  'empty arrays': list(() => '[]'),
  'deep arrays': `${'['.repeat(500_000)}${']'.repeat(500_000)}`,
  'arrays 99 deep': list(() => `${'['.repeat(98)}${']'.repeat(98)}`),
  'many members': list((i) => `"m${i}":1`, '{', '}'),
  'members with control characters': list((i) => `"\\u0000\\u0007${i}":1`, '{', '}'),
  'one member many times': list(() => '"a":1', '{', '}'),
  'a fault at the end': `${list(() => '1')}x`,
  'a fault at the end of deep brackets': fill('', '[{"a":', 'x'),
  'a fault at the end of a string': `"${'a'.repeat(MiB - 100)}`,
  'a fault at the end of lines': `[\n${'1,\n'.repeat(300_000)}`,
  'surrogate pairs as escapes': `"${'\\ud83d\\ude00'.repeat(80_000)}"`,
  'escapes, the last unpaired': `"${'\\ud83d\\ude00'.repeat(80_000)}\\ud800"`,
  'escaped backslashes': `"${'\\\\'.repeat(500_000)}"`,
  'one long string': `"${'a'.repeat(MiB - 100)}"`,
  blanks: `${' '.repeat(MiB - 100)}1`,
  'nothing but blanks': ' '.repeat(MiB - 100),
  'one long number': '1'.repeat(MiB - 100),
  'wide characters': `"${'漢'.repeat(340_000)}"`,
  prototypes: list((i) => `{"__proto__":${i}}`),
};

const facts = (elements: readonly object[]): string => JSON.stringify({ contextResponses: elements });
const element = (attributes: readonly object[]): object => ({
  statusCode: { code: '200', reasonPhrase: 'OK' },
  contextElement: { id: 's', type: 'host', isPattern: 'false', attributes },
});

export const factsTexts: Readonly<Record<string, string>> = {
  elements: facts(many(4_800, () => element([{ name: 'cpuLoadPct', value: '5' }]))),
  'wrong elements': list(() => '{"contextElement":1}', '{"contextResponses":[', ']}'),
  'elements that are null': list(() => 'null', '{"contextResponses":[', ']}'),
  attributes: facts([element(many(20_000, () => ({ name: 'cpuLoadPct', value: '5' })))]),
  'wrong attributes': facts([element(many(20_000, () => ({ name: 'cpuLoadPct', value: 'x' })))]),
  'attributes without a name': facts([element(many(100_000, () => ({})))]),
  'attributes nobody knows': facts([element(many(20_000, (i) => ({ name: `n${i}`, value: '5' })))]),
  'entity of many attributes': `{"data":[{${list((i) => `"a${i}":{"value":1}`, '', '')}}]}`,
  entities: list(() => '{"cpuLoadPct":5}', '{"data":[', ']}'),
  'wrong entities': list(() => '{"cpuLoadPct":"x"}', '{"data":[', ']}'),
  'decimals of many digits': `{"data":[{"cpuLoadPct":"1.${'0'.repeat(MiB - 200)}x"}]}`,
  'a subscription id': `{"subscriptionId":"${'a'.repeat(MiB - 200)}","data":[{"cpuLoadPct":5}]}`,
};

const entities = (piece: string | ((i: number) => string)): string =>
  list(typeof piece === 'string' ? () => piece : piece, '{"data":[', ']}');

/** Facts by entity. */
export const notificationTexts: Readonly<Record<string, string>> = {
  'entities that no server is': entities('{"id":"a b","cpuLoadPct":5}'),
  'entities with faults beside good ones': entities((i) => `{"id":"s${i % 9}","cpuLoadPct":${i % 200}}`),
  'no entities but one': entities((i) => (i === 0 ? '{"id":"s","cpuLoadPct":5}' : '7')),
  'entities of one server': entities('{"id":"s","cpuLoadPct":5}'),
  'entities of many servers': entities((i) => `{"id":"s${i % 3_000}","cpuLoadPct":5}`),
  'a long id': `{"data":[{"id":"${'a'.repeat(MiB - 200)}","cpuLoadPct":5}]}`,
  'an id that is a list': `{"data":[{"id":${list(() => '1').slice(0, MiB / 2)}1],"cpuLoadPct":5}]}`,
};

export const rulesTexts: Readonly<Record<string, string>> = {
  rules: JSON.stringify(many(1_000, rule)),
  'wrong rules': JSON.stringify(
    many(1_000, () => ({ name: 1, condition: { cpu: 1, mem: 2, hdd: 3, net: 4, x: 5 }, action: {}, y: 6 })),
  ),
  'wrong rules, as large as they come': JSON.stringify(
    many(1_000, (i) => ({
      name: i,
      condition: Object.fromEntries(many(60, (k) => [`x${k}`, k])),
      action: { actionName: 'notify-email', email: '@'.repeat(200), body: ' '.repeat(10) },
    })),
  ),
  'rules of many members': JSON.stringify(
    many(100, () => ({ ...rule(1), ...Object.fromEntries(many(900, (k) => [`x${k}`, k])) })),
  ),
  'rules that are null': list(() => 'null', '[', ']').slice(0, 5_000 - 1) + ']',
  'many rules': list(() => '{}'),
};
export const ruleTexts: Readonly<Record<string, string>> = {
  'a rule of many members': list((i) => `"m${i}":1`, '{', '}'),
  'a condition of many members': list((i) => `"m${i}":1`, '{"condition":{', '}}'),
  'an action of many members': list((i) => `"m${i}":1`, '{"action":{"actionName":"notify-email",', '}}'),
  'members of long names': list((i) => `"${'\\u0000'.repeat(150)}${i}":1`, '{', '}'),
  'a long name': `{"name":"${'a'.repeat(MiB - 200)}"}`,
  'a name of blanks': `{"name":"${' '.repeat(500)}"}`,
  'an address of at signs': `{"action":{"actionName":"notify-email","body":"b","email":"${'a@'.repeat(500_000)}"}}`,
  'an address of dots': `{"action":{"actionName":"notify-email","body":"b","email":"a@${'b.'.repeat(500_000)}"}}`,
  'a body of blanks': `{"action":{"actionName":"notify-email","email":"a@b.c","body":"${' '.repeat(MiB - 200)}"}}`,
  'a body of blanks and a letter': `{"action":{"actionName":"notify-email","email":"a@b.c","body":"${' '.repeat(65_000)}x"}}`,
  'an action name': `{"action":{"actionName":"${'漢'.repeat(300_000)}"}}`,
};
export const subscriptionTexts: Readonly<Record<string, string>> = {
  'a long url': `{"ruleId":"r","url":"http://${'a'.repeat(MiB - 200)}"}`,
  'a url of dots': `{"ruleId":"r","url":"http://${'.'.repeat(2_000)}"}`,
  'a url of at signs': `{"ruleId":"r","url":"http://${'@'.repeat(2_000)}"}`,
  'a rule id': `{"ruleId":"${'a'.repeat(MiB - 200)}","url":"http://a"}`,
};

const entity = (members: string): string => `{"id":"urn:a:b","type":"T",${members}}`;
export const entityTexts: Readonly<Record<string, string>> = {
  'many attributes': entity(list((i) => `"a${i}":{"value":1}`, '', '')),
  'many key values': entity(list((i) => `"a${i}":1`, '', '')),
  'wrong names': entity(list((i) => `" ${i}":1`, '', '')),
  'long names': entity(list((i) => `"${'a'.repeat(2_000)}${i} ":1`, '', '')),
  'names that are nearly IRIs': entity(list((i) => `"urn:${'%41'.repeat(600)}${i} ":1`, '', '')),
  'a polygon': entity(
    `"location":{"type":"GeoProperty","value":{"type":"MultiPoint","coordinates":${list(() => '[1,2]')
      .slice(0, MiB - 400)
      .replace(/,[^,\]]*,[^,]*$/, '')}]}}`,
  ),
  'a wrong polygon': entity(
    `"location":{"type":"GeoProperty","value":{"type":"MultiPoint","coordinates":[${'1,'.repeat(400_000)}1]}}`,
  ),
  languages: entity(
    `"a":{"languageMap":{${list((i) => `"a-${i}":"x"`, '', '')
      .slice(0, MiB - 1_000)
      .replace(/,[^,]*$/, '')}}}`,
  ),
  'a language of many parts': entity(`"a":{"languageMap":{"a${'-abcdefgh'.repeat(100_000)}!":"x"}}`),
  relations: entity(`"a":{"object":[${'"urn:a:b",'.repeat(100_000)}"x"]}`),
  depths: entity(`"a":${'{"a":'.repeat(490)}1${'}'.repeat(490)}`),
  'numbers beyond': entity(list((i) => `"a${i}":1e999`, '', '')),
  'control characters in names': entity(list((i) => `"\\u0001${i}":1`, '', '')),
};

export const batchTexts: Readonly<Record<string, string>> = {
  'tiny entities': JSON.stringify(many(25_000, () => ({ id: 'a:b', type: 'T' }))),
  'too many entities': list(() => '{"id":"a:b","type":"T"}'),
  'wrong entities':
    list(() => '{}')
      .slice(0, 74_000 - 1)
      .replace(/,$/, '') + ']',
};

const verifyOf = (content: string): string => `{"transactionHash":"${HASH}",${content}}`;
export const verifyTexts: Readonly<Record<string, string>> = {
  'many attributes': verifyOf(
    `"entity":${entity(
      list((i) => `"a${i}":${i}`, '', '')
        .slice(0, MiB - 400)
        .replace(/,[^,]*$/, ''),
    )}`,
  ),
  'a query of many members': verifyOf(
    `"query":{${list((i) => `"a${i}":${i}`, '', '')
      .slice(0, MiB - 400)
      .replace(/,[^,]*$/, '')}}`,
  ),
  'numbers beyond': verifyOf(
    `"query":{${list((i) => `"a${i}":1e999`, '', '')
      .slice(0, MiB - 400)
      .replace(/,[^,]*$/, '')}}`,
  ),
  'a proof of 10,000': verifyOf(
    `"entity":${entity('"a":1')},"proof":[${many(10_000, () => `"${HASH}"`).join()}]`,
  ),
  'a proof of wrong ones': verifyOf(
    `"entity":${entity('"a":1')},"proof":[${many(64, (i) => `"${'x'.repeat(10_000)}${i}"`).join()}]`,
  ),
  'members nobody knows': list((i) => `"m${i}":1`, `{"transactionHash":"${HASH}","query":{"a":1},`, '}'),
  depths: verifyOf(`"query":{"a":${'{"a":'.repeat(490)}1${'}'.repeat(490)}}`),
};

export const vaultTexts: Readonly<Record<string, string>> = {
  'long data': `{"to":"0x${'1'.repeat(40)}","data":"${'ab'.repeat(500_000)}","encoding":"hex","amount":"0","nonce":"0","gas_limit":"21000","gas_price":"0"}`,
  'a long amount': `{"to":"0x${'1'.repeat(40)}","data":"","encoding":"hex","amount":"${'9'.repeat(MiB - 300)}","nonce":"0","gas_limit":"1","gas_price":"0"}`,
  'a long nonce': `{"to":"0x${'1'.repeat(40)}","data":"","amount":"0","nonce":"${'9'.repeat(MiB - 300)}","gas_limit":"1","gas_price":"0"}`,
  'a long nonce as number': `{"to":"0x${'1'.repeat(40)}","data":"","amount":"0","nonce":${'9'.repeat(MiB - 300)},"gas_limit":"1","gas_price":"0"}`,
};
export const tokenTexts: Readonly<Record<string, string>> = {
  'a long password': `{"auth":{"tenantName":"demo","passwordCredentials":{"username":"demo","password":"${'a'.repeat(MiB - 300)}"}}}`,
  'a long password of escapes': `{"auth":{"tenantName":"demo","passwordCredentials":{"username":"demo","password":"${'\\u0000'.repeat(170_000)}"}}}`,
};
