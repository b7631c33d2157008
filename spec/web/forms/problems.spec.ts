import { expect } from 'chai';
import { pageModule } from './page-module.js';

type ProblemsIn = (message: string, fields: readonly string[]) => ReadonlyMap<string, string>;

const FIELDS = ['name', 'condition', 'condition.cpu.value', 'action.operation', 'url'];

describe('problems of a form', () => {
  let problemsIn: ProblemsIn;
  before(async () => {
    ({ problemsIn } = (await pageModule('forms/problems.ts')) as unknown as { problemsIn: ProblemsIn });
  });
  const found = (message: string): object => Object.fromEntries(problemsIn(message, FIELDS));

  it('belong to the fields that they name', () => {
    const message =
      'condition.cpu.value: must be a JSON number from 0 to 100; name: must be a string, not blank';
    expect(found(message)).to.deep.equal({
      'condition.cpu.value': 'must be a number from 0 to 100',
      name: 'must be a string, not blank',
    });
  });

  it('keep their semicolons', () => {
    expect(found('action.operation: is wrong; allowed: scaleUp; or email; url: is not a URL')).to.deep.equal({
      'action.operation': 'is wrong; allowed: scaleUp; or email',
      url: 'is not a URL',
    });
  });

  it('of one field are joined', () => {
    expect(found('name: is blank; name: is long')).to.deep.equal({ name: 'is blank; is long' });
  });

  it('of a member without a field are shown whole, at the field around it', () => {
    expect(found('condition.disk: is unknown; body: must be a JSON object')).to.deep.equal({
      condition: 'condition.disk: is unknown',
      '': 'body: must be a JSON object',
    });
  });

  it('of an element of a list are shown whole, at the field of the list', () => {
    expect(Object.fromEntries(problemsIn('servers[1]: must be a pattern', ['servers']))).to.deep.equal({
      servers: 'servers[1]: must be a pattern',
    });
  });

  it('about no member are shown whole', () => {
    expect(found('the database does not answer; nothing was done')).to.deep.equal({
      '': 'the database does not answer; nothing was done',
    });
  });
});
