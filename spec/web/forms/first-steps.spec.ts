import { expect } from 'chai';
import { pageModule } from './page-module.js';

interface Given {
  readonly publicUrl: string;
  readonly tenantId: string;
  readonly auth: string;
  readonly demoUser: boolean;
  readonly localReceiver: boolean;
}
type Lines = (given: Given) => Readonly<Record<'token' | 'rule' | 'subscription' | 'facts', string>>;

describe('the lines of the first steps', () => {
  let lines: Lines;
  before(async () => {
    ({ linesOf: lines } = (await pageModule('curl/first-steps.ts')) as unknown as { linesOf: Lines });
  });
  const given = { publicUrl: 'https://here', tenantId: 't', auth: '', demoUser: false };

  it('start a receiver on this machine only where the service may call it', () => {
    const local = lines({ ...given, localReceiver: true }).subscription;
    expect(local).to.include('.listen(9000)').and.to.include('\nURL=http://localhost:9000/scale\n');
    const elsewhere = lines({ ...given, localReceiver: false }).subscription;
    expect(elsewhere).to.match(/^URL='https:\/\/the-address-of-your-receiver'\ncurl /);
    for (const text of [local, elsewhere]) expect(text).to.include('\\"url\\": \\"$URL\\"');
  });
});
