import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { repository } from './fixture.js';

const FOLDERS = ['src', 'web', 'spec', 'bench', 'scripts', 'docs', 'deploy', 'contracts'];
const FILES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
/** The decision record and this spec name the old words. */
const NAMES_THEM = /^(?:docs\/adr\/0037-|spec\/scripts\/old-words\.spec\.ts$)/;

/** Words that decision record 37 replaced, and what took their place. */
const OLD_WORDS: readonly (readonly [old: RegExp, instead: string])[] = [
  [/told[ -]?times?/i, 'source timestamp'],
  [/hindrance/i, 'suppression'],
  [/\b(?:in)?audible/i, 'suppressed, not suppressed'],
  [/\blapses?\b/i, 'no-data timeout'],
  [/heldBits/, 'mask'],
  [/\bopen ?nonces?\b/i, 'pending nonce'],
  [/mayBeOut/, 'maybeBroadcast'],
  [/\bparts? away\b/i, 'dependency down'],
  [/\bgas bumps?\b/i, 'replacement'],
  [/unkept/i, 'untracked value'],
  [/\bextras\b/, 'custom metrics'],
  [/unbroken row/i, 'hold period'],
  [/told to have arrived/i, 'acknowledged'],
  [/watchesText/, 'the text of subscription states'],
  [/fell silent/i, 'no data'],
  [/handOver/, 'dispatch'],
  [/gasBump|\bbumped\b/, 'replacement, raised fee'],
];

function textFiles(folder: string): readonly string[] {
  return readdirSync(path.join(repository, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
    .filter((name) => /\.(?:tsx?|js|css|md|json|ya?ml|sol)$/.test(name));
}

describe('the words of the repository', () => {
  const files = [...FOLDERS.flatMap(textFiles), ...FILES].filter((name) => !NAMES_THEM.test(name));
  const texts = files.map((name) => [name, readFileSync(path.join(repository, name), 'utf8')] as const);

  for (const [old, instead] of OLD_WORDS) {
    it(`have ${instead} instead of ${old}`, () => {
      const places = texts.filter(([, text]) => old.test(text)).map(([name]) => name);
      expect(places).to.deep.equal([]);
    });
  }
});
