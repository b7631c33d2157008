import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { rulesStages } from './rules-stage.js';

describe('docs/rules-as-code.md', () => {
  const { stage, file } = rulesStages();
  const blockOf = async (language: string): Promise<string> => {
    const text = await readFile(new URL('../../../../docs/rules-as-code.md', import.meta.url), 'utf8');
    return text.split(`\`\`\`${language}\n`)[1]!.split('```')[0]!;
  };

  it('has a file that can be applied, and the difference that a change of it makes', async () => {
    const { done, rules } = await stage();
    const text = await blockOf('yaml');
    await done('apply', await file('rules.yaml', text));
    const { out } = await rules('diff', await file('changed.yaml', text.replace('for: 600', 'for: 300')));
    expect(out).to.equal(await blockOf('diff'));
  });
});
