import { expect } from 'chai';
import { createSourceReports } from '../../../src/policy/sources/source-reports.js';
import type { SourceReply } from '../../../src/policy/sources/source-intake.js';

const REPLY = { counted: 1, leftOut: [] } as unknown as SourceReply;

describe('the reports of sources', () => {
  const listed = (reports: ReturnType<typeof createSourceReports>, limit: number): readonly string[] =>
    reports.list(undefined, limit).map(({ tenantId }) => tenantId);

  it('are listed up to a limit, that of the newest request first', () => {
    const reports = createSourceReports(() => 0);
    for (const tenant of ['a', 'b', 'c', 'a']) reports.add(tenant, 'otlp', REPLY);
    expect(listed(reports, 2)).to.deep.equal(['a', 'c']);
    expect(reports.list('a', 2)).to.have.length(1);
  });

  it('are at most 1,000: that of the oldest request goes first', () => {
    const reports = createSourceReports(() => 0);
    for (let n = 0; n < 1_000; n += 1) reports.add(`t${n}`, 'otlp', REPLY);
    reports.add('t0', 'otlp', REPLY);
    reports.add('t1000', 'otlp', REPLY);
    const all = listed(reports, 2_000);
    expect(all).to.have.length(1_000).and.include('t0').and.not.include('t1');
  });
});
