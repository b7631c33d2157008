import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { storiedKinds as deliveryKinds } from '../delivery/snapshot-stories.js';
import { storiedKinds as ledgerKinds } from '../ledger/snapshot-stories.js';
import { storiedKinds as policyKinds } from '../policy/snapshot-stories.js';
import { runService } from './running-service.js';

describe('the kinds of actors of a service', () => {
  it('are in the table of docs/operations.md, with the states that an operator can see', () => {
    const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
    const table = page.slice(page.indexOf('| Kind | Name | States |'));
    for (const { name, machine, deletedState } of [...policyKinds(), ...deliveryKinds(), ...ledgerKinds()]) {
      const row = table.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
      const said = [...row.matchAll(/`(\w+)`/g)].map(([, word]) => word);
      const states = Object.keys(machine.states).filter(
        (state) => state !== deletedState && state !== machine.config.initial,
      );
      expect(said, name).to.include.members(states);
    }
  });

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
