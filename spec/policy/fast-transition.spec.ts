import { fastTransitionFeatures } from '../actors/fast-transition.features.js';
import { STORIES, storiedKinds } from './snapshot-stories.js';

const MARK = '0123456789abcdef01234567';

fastTransitionFeatures({
  kinds: storiedKinds(),
  stories: STORIES,
  events: {
    server: [
      { type: 'abandon', mark: MARK },
      { type: 'endRule', ruleId: 'r1' },
      { type: 'discard', brokerId: 's1', mark: MARK },
      { type: 'dispatched', entryIds: ['', 's1'] },
    ],
  },
});
