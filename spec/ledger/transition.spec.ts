import { transitionFeatures } from '../actors/transition.features.js';
import { NOON, word } from './driven-ledger.js';
import { STORIES, storiedKinds } from './snapshot-stories.js';

transitionFeatures({
  kinds: storiedKinds(),
  stories: STORIES,
  events: {
    account: [{ type: 'performed', entryId: word(1000) }],
    block: [{ type: 'seen', entryId: 'check:1', deep: true }],
    transaction: [
      { type: 'maybeBroadcast' },
      { type: 'alias', of: word(1000) },
      { type: 'replace', known: 0, replacement: { hash: word(2000), raw: '0xf9' } },
    ],
    key: [
      { type: 'takeOver', from: 'c1', claim: { id: 'c2', node: 'n2', at: NOON } },
      { type: 'release', claim: 'c1' },
      { type: 'fenced', entryId: 'fence:c1' },
      { type: 'failed', hash: word(1000) },
      { type: 'unneeded' },
    ],
  },
});
