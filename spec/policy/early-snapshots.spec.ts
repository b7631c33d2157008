import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { behavior } from '../../src/actors/behavior.js';
import type { ServerContext } from '../../src/policy/server/server-context.js';
import { SERVER } from '../../src/policy/server/server-kind.js';
import type { Stored } from '../../src/store/port.js';
import { policyKind } from './server/driven-server.js';
import { STORIES } from './snapshot-stories.js';

interface Sample {
  readonly title: string;
  readonly stored: Stored;
  readonly reply?: unknown;
  readonly state: string;
}

const file = new URL('../../../spec/policy/early-snapshots/server-1.json', import.meta.url);
const samples = JSON.parse(readFileSync(file, 'utf8')) as Sample[];

describe('documents of servers from before there were watches', () => {
  for (const { title, stored, reply, state } of samples) {
    it(`have the next event answered as before: a server that ${title}`, () => {
      const machine = behavior(policyKind(SERVER));
      const story = STORIES.find((one) => one.kind === SERVER && one.title === title)!;
      const before = machine.restore(stored);
      const next = machine.next(before, story.next);
      const { reply: given, watches, recorded } = next.context as ServerContext;
      if (reply !== undefined) expect(JSON.parse(JSON.stringify(given))).to.deep.include(reply);
      expect(next.value).to.equal(state);
      expect((watches ?? []).length).to.be.at.most((before.context as ServerContext).subscriptions.length);
      expect(recorded ?? 0).to.be.at.least((watches ?? []).length);
    });
  }
});
