import { expect } from 'chai';
import { storiedKinds as deliveryKinds } from '../delivery/snapshot-stories.js';
import { storiedKinds as ledgerKinds } from '../ledger/snapshot-stories.js';
import { storiedKinds as policyKinds } from '../policy/snapshot-stories.js';
import { runService } from './running-service.js';

describe('the kinds of actors of a service', () => {
  it('all have a corpus of documents, and the property of their transitions', async () => {
    const service = await runService({ LEDGER: 'on' });
    try {
      const answer = await fetch(`${service.url}/operator/actors/unheard-of/acme/x`);
      const [, kinds = ''] = /a kind is one of ([^"]+)"/.exec(await answer.text()) ?? [];
      const storied = [...policyKinds(), ...deliveryKinds(), ...ledgerKinds()].map(({ name }) => name);
      expect(kinds.split(', ').toSorted()).to.deep.equal(storied.toSorted());
    } finally {
      await service.close();
    }
  });
});
