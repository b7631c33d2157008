import { expect } from 'chai';
import { refusalLog } from '../../../src/operator/refusals/refusal-log.js';
import type { RefusedMeasurements } from '../../../src/operator/refusals/refusals.js';

describe('the log of refused measurements', () => {
  const lines: [object, string | undefined][] = [];
  const warn = (fields: object, text?: string): void => void lines.push([fields, text]);
  let now = 0;
  let log: (refused: RefusedMeasurements) => void;
  beforeEach(() => {
    lines.length = 0;
    now = 1_000_000;
    log = refusalLog({ warn }, () => now);
  });
  const refuse = (tenant: string, isKnown = true, message = 'wrong'): void =>
    log({ tenant, isKnown, path: `/v1.0/${tenant}/notify`, status: isKnown ? 400 : 404, message });

  it('has a line of each tenant and minute, with the number of refusals since the line before', () => {
    for (let i = 0; i < 5; i += 1) refuse('acme');
    refuse('other');
    now += 59_999;
    refuse('acme');
    expect(lines).to.have.length(2);
    now += 1;
    refuse('acme', true, 'newest');
    expect(lines).to.deep.equal([
      [
        { tenant: 'acme', path: '/v1.0/acme/notify', status: 400, times: 1, reason: 'wrong' },
        'measurements refused',
      ],
      [
        { tenant: 'other', path: '/v1.0/other/notify', status: 400, times: 1, reason: 'wrong' },
        'measurements refused',
      ],
      [
        { tenant: 'acme', path: '/v1.0/acme/notify', status: 400, times: 6, reason: 'newest' },
        'measurements refused',
      ],
    ]);
  });

  it('has one line for all unknown tenants together', () => {
    for (let i = 0; i < 20_000; i += 1) refuse(`stranger${i}`, false);
    now += 60_000;
    refuse('late', false);
    expect(lines.map(([fields]) => fields)).to.deep.equal([
      { path: '/v1.0/stranger0/notify', status: 404, times: 1, reason: 'wrong' },
      { path: '/v1.0/late/notify', status: 404, times: 20_000, reason: 'wrong' },
    ]);
  });

  it('goes on if the clock goes back', () => {
    refuse('acme');
    now -= 3_600_000;
    refuse('acme');
    refuse('acme');
    expect(lines).to.have.length(2);
  });
});
