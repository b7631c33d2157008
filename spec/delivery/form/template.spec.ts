import { expect } from 'chai';
import fc from 'fast-check';
import { filled, LONGEST_FILLED, readTemplate, TemplateFault } from '../../../src/delivery/form/template.js';
import { ANY_CHARACTER } from '../../any-character.js';

async function fill(contentType: string, body: string, view: Record<string, unknown> = {}): Promise<string> {
  return filled(await readTemplate({ contentType, body }), view);
}

/** Returns what is wrong with a template. */
async function faultOf(
  contentType: string,
  body: string,
  view: Record<string, unknown> = {},
): Promise<string> {
  try {
    return `no fault: ${(await fill(contentType, body, view)).slice(0, 100)}`;
  } catch (error) {
    expect(error).to.be.instanceOf(TemplateFault);
    return (error as TemplateFault).message;
  }
}

const JSON_TYPES = [
  'application/json',
  'application/JSON; charset=utf-8',
  'text/json',
  'application/vnd.x+json',
];
const anyText = fc.string({ unit: ANY_CHARACTER, maxLength: 40 });
const tags = [
  '{{x}}',
  '{{{x}}}',
  '{{&x}}',
  '{{o.x}}',
  '{{#o}}{{x}}{{/o}}',
  '{{#l}}{{.}}{{/l}}',
  '{{#l}}{{{.}}}{{/l}}',
];

describe('a template', () => {
  it('has every value escaped as in a JSON string, whatever the tag', async () => {
    for (const type of JSON_TYPES)
      await fc.assert(
        fc.asyncProperty(anyText, fc.constantFrom(...tags), async (x, tag) => {
          const text = await fill(type, `{"a": "<${tag}>", "b": 1}`, { x, o: { x }, l: [x] });
          expect(JSON.parse(text)).to.deep.equal({ a: `<${x}>`, b: 1 });
        }),
        { numRuns: 60 },
      );
  });

  it('has every value escaped by percent in a form, and as HTML in HTML', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.constantFrom(...tags), async (x, tag) => {
        const view = { x, o: { x }, l: [x] };
        const form = await fill('application/x-www-form-urlencoded', `a=${tag}&b=1`, view);
        const known = Buffer.from(x).toString();
        expect([...new URLSearchParams(form)]).to.deep.equal([
          ['a', known],
          ['b', '1'],
        ]);
        const page = await fill('text/html; charset=utf-8', tag, view);
        expect(page).not.to.match(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
        const entities = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" } as Record<string, string>;
        expect(page.replaceAll(/&(#?\w+);/g, (_, name: string) => entities[name]!)).to.equal(x);
        expect(await fill('text/plain', tag, view)).to.equal(x);
      }),
      { numRuns: 200 },
    );
  });

  it('has an object as its JSON: plain where a JSON text has a value, escaped in a string', async () => {
    const o = { a: 'ü"', list: [1, null] };
    const text = await fill('application/json', '{"o": {{o}}, "s": "{{{o}}}", "l": {{&o.list}}}', { o });
    expect(JSON.parse(text)).to.deep.equal({ o, s: JSON.stringify(o), l: [1, null] });
    expect(await fill('text/plain', '{{o}}', { o })).to.equal(JSON.stringify(o));
    expect(await fill('text/html', '{{{o.list}}} {{o.a}}', { o })).to.equal('[1,null] ü&quot;');
  });

  it('reads sections, inverted ones, dots, comments, other delimiters, and lines of their own', async () => {
    const view = {
      yes: true,
      no: false,
      zero: 0,
      empty: [],
      list: [{ n: 1 }, { n: 2 }],
      one: { n: 3 },
      n: 9,
    };
    const body = [
      '{{#yes}}',
      'a{{! not this }}',
      '{{/yes}}',
      '{{^yes}}b{{/yes}}{{#no}}c{{/no}}{{^no}}d{{/no}}{{#zero}}e{{/zero}}{{^empty}}f{{/empty}}',
      '{{#list}}{{n}},{{/list}}{{#one}}{{n}}{{/one}}{{n}}{{one.n}}{{missing.n}}{{=<% %>=}}<% n %>',
    ].join('\n');
    expect(await fill('text/plain', body, view)).to.equal('a\ndf\n1,2,3939');
  });

  it('reaches no member that is not of the message', async () => {
    const body =
      '[{{constructor}}{{x.constructor.name}}{{__proto__}}{{x.length}}{{toString}}{{#x}}{{constructor}}{{/x}}]';
    expect(await fill('text/plain', body, { x: 'text', o: {} })).to.equal('[]');
  });

  it('is refused with partials, unclosed sections, and sections that are too deep', async () => {
    expect(await faultOf('text/plain', 'a{{> b}}')).to.match(/^must not have partials/);
    expect(await faultOf('text/plain', '{{#a}}')).to.match(/^is no Mustache: Unclosed section "a"/);
    expect(await faultOf('text/plain', '{{a')).to.match(/^is no Mustache: Unclosed tag/);
    const deep = (n: number): string => '{{#a}}'.repeat(n) + '{{/a}}'.repeat(n);
    expect(await faultOf('text/plain', deep(17))).to.match(/^must not have sections more than 16 deep/);
    expect(await fill('text/plain', deep(16))).to.equal('');
    expect(await faultOf('text/plain', deep(1_600))).to.match(/^must not have sections/);
  });

  it('is refused where it makes no JSON', async () => {
    expect(await faultOf('application/json', '{"a": {{n}}}', { n: null })).to.match(/^makes no JSON: /);
    expect(await faultOf('application/json', '{"a": {{t}}}', { t: 'x' })).to.match(/^makes no JSON: /);
    expect(await faultOf('application/json', '{"a": "\\{{t}}"}', { t: '", "b": "' })).to.match(/backslash/);
    expect(await fill('application/json', '{"a": "\\\\{{t}}"}', { t: '"' })).to.equal('{"a": "\\\\\\""}');
  });

  it('cannot hold the loop, nor make a giant body', async function () {
    const groups = Array.from({ length: 32 }, (_, n) => ({ all: Array.from({ length: 32 }, () => ({ n })) }));
    const view = { any: groups, text: 'x'.repeat(65_536), many: Array.from({ length: 32 }, () => 1) };
    const nested = (n: number, within: string): string =>
      '{{#many}}'.repeat(n) + within + '{{/many}}'.repeat(n);
    const bodies: readonly [string, RegExp][] = [
      [nested(16, 'x'), /parts for one message/],
      [nested(16, ''), /parts for one message/],
      [nested(2, '{{any}}'), /makes more than 262144 characters/],
      ['{{text}}'.repeat(2_000), /makes more than 262144/],
      ['{{#text}}{{text}}{{/text}}'.repeat(600), /makes more than 262144/],
      [`{{x${' '.repeat(16_000)}`, /white space in a row/],
      [`{{x${`${' '.repeat(100)}y`.repeat(80)}`, /is no Mustache/],
      [`{{=${' '.repeat(100)}`.repeat(80), /is no Mustache|no fault/],
      ['{{'.repeat(8_000), /is no Mustache/],
      ['{{a}}'.repeat(3_276), /no fault/],
      ['{{^a}}'.repeat(1_260) + '{{/a}}'.repeat(1_260), /sections/],
      ['\n {{^a}}\n {{/a}}'.repeat(1_000), /no fault/],
    ];
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      for (const [body, fault] of bodies) {
        const before = performance.eventLoopUtilization();
        const shown = await faultOf(type, body, view);
        const { active } = performance.eventLoopUtilization(before);
        expect(shown, body.slice(0, 40)).to.match(type === 'application/json' ? /./ : fault);
        expect(shown.length).to.be.below(LONGEST_FILLED);
        if (process.env['SHOW_TIMES'] !== undefined) console.log(type, body.slice(0, 30), Math.round(active));
      }
    }
  });
});
