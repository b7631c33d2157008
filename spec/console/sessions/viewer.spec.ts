import { expect } from 'chai';
import { tenantOf } from '../../../src/console/viewer.js';

describe('tenantOf', () => {
  it('limits a tenant to itself, whatever is asked', () => {
    const viewer = { kind: 'tenant', tenantId: 'a1', tenantName: 'acme' } as const;
    for (const asked of [undefined, 'a1', 'other', '']) expect(tenantOf(viewer, asked)).to.equal('a1');
  });

  it('leaves the choice to an operator', () => {
    expect(tenantOf({ kind: 'operator' }, 'acme')).to.equal('acme');
    expect(tenantOf({ kind: 'operator' }, undefined)).to.equal(undefined);
  });
});
