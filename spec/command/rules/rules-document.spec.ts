import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { rulesStages, runRules } from './rules-stage.js';

describe('docs/rules-as-code.md', () => {
  const { stage, file } = rulesStages();
  /** Returns a block of the page in a language; `place`: counted from 0. */
  const blockOf = async (language: string, place = 0): Promise<string> => {
    const text = await readFile(new URL('../../../../docs/rules-as-code.md', import.meta.url), 'utf8');
    const blocks = text.matchAll(/^```(\w*)\n(.*?)^```$/gms);
    return [...blocks].filter(([, one]) => one === language)[place]![2]!;
  };

  it('has a file that can be applied, and the difference that a change of it makes', async () => {
    const { done, rules } = await stage();
    const text = await blockOf('yaml');
    await done('apply', await file('rules.yaml', text));
    const { out } = await rules('diff', await file('changed.yaml', text.replace('for: 600', 'for: 300')));
    expect(out).to.equal(await blockOf('diff'));
  });

  it('has a test with its outcome', async () => {
    const series = new URL('../../../../examples/ec2-cpu-ac20cd.csv', import.meta.url);
    await file('two-weeks.csv', await readFile(series, 'utf8'));
    const rules = await file('rules.yaml', await blockOf('yaml'));
    const tests = await file('tests.yaml', await blockOf('yaml', 1));
    const { code, out } = await runRules(['test', rules, tests], {});
    expect({ code, out }).to.deep.equal({ code: 0, out: await blockOf('') });
  });
});
