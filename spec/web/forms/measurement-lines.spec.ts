import { expect } from 'chai';
import type { ServerView, SessionView } from '../../../src/console/shapes.js';
import { pageModule } from './page-module.js';

type Service = Pick<SessionView, 'publicUrl' | 'measurements'>;
type Lines = (service: Service, server: ServerView, rule: ServerView['rules'][number] | undefined) => string;

const service: Service = { publicUrl: 'http://here', measurements: { auth: 'open', hdd: 'used' } };

function server(serverId: string, condition: object): ServerView {
  return { tenantId: 'some', serverId, windowsize: 3, rules: [{ condition }] } as unknown as ServerView;
}

describe('lines that send measurements', () => {
  let lines: (service: Service, server: ServerView) => string;
  before(async () => {
    const loaded = await pageModule('curl/measurements.ts');
    const { measurementLines } = loaded as unknown as { measurementLines: Lines };
    lines = (from, of) => measurementLines(from, of, of.rules[0]);
  });
  const attributesIn = (text: string): object =>
    Object.fromEntries(
      [...text.matchAll(/"name":"(\w+)","type":"string","value":"([-\d.]+)"/g)].map(([, name, value]) => [
        name!,
        value!,
      ]),
    );

  it('have values for which the condition holds, as many as the window takes', () => {
    const condition = {
      cpu: { value: 85, operand: 'greater' },
      mem: { value: 70, operand: 'less equal' },
      hdd: { value: 60, operand: 'greater equal' },
      net: { value: 0.5, operand: 'less' },
    };
    const text = lines(service, server('web-1', condition));
    expect(text).to.include('seq 3');
    expect(text).to.include('http://here/v1.0/some/servers/web-1 ');
    expect(attributesIn(text)).to.deep.equal({
      cpuLoadPct: '92.5',
      usedMemPct: '35',
      freeSpacePct: '20',
      netLoadPct: '0.25',
    });
    const free = { ...service, measurements: { auth: 'open', hdd: 'free' } } as const;
    expect(attributesIn(lines(free, server('web-1', condition)))).to.include({ freeSpacePct: '80' });
  });

  it('have values for which a group holds, and other metrics by their names', () => {
    const condition = {
      all: [
        { any: [{ cpu: { value: 100, operand: 'greater' } }, { mem: { value: 50, operand: 'greater' } }] },
        {
          not: {
            any: [{ mem: { value: 60, operand: 'greater equal' } }, { queue: { value: 9, operand: 'less' } }],
          },
        },
        {
          queue: { value: 90, operand: 'less equal', aggregate: 'sum' },
          depth: { value: -5, operand: 'less' },
        },
      ],
    };
    expect(attributesIn(lines(service, server('web-1', condition)))).to.deep.equal({
      usedMemPct: '55',
      queue: '19.5',
      depth: '-6',
    });
  });

  it('are of cpu where no values make the condition hold', () => {
    const never = {
      all: [{ mem: { value: 5, operand: 'less' } }, { mem: { value: 5, operand: 'greater' } }],
    };
    expect(attributesIn(lines(service, server('web-1', never)))).to.deep.equal({ cpuLoadPct: '92.5' });
  });

  it('name the header that the service asks for', () => {
    const of = (auth: 'open' | 'token' | 'key'): string =>
      lines({ ...service, measurements: { auth, hdd: 'used' } }, server('web-1', {}));
    expect(of('open')).to.not.include('X-');
    expect(of('token')).to.include('-H "X-Auth-Token: $TOKEN"');
    expect(of('key')).to.include('-H "X-Facts-Key: $FACTS_KEY"');
  });

  it('keep an id with quotes, blanks and an ending .json', () => {
    const text = lines(service, server(`it's "a" $(b).json`, {}));
    expect(text).to.include(`'http://here/v1.0/some/servers/it'\\''s%20%22a%22%20%24(b).json.json'`);
    expect(text).to.include(String.raw`"id": "it'\''s \"a\" $(b).json"`);
  });
});
