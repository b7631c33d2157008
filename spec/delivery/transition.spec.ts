import { transitionFeatures } from '../actors/transition.features.js';
import { STORIES, storiedKinds } from './snapshot-stories.js';

transitionFeatures({
  kinds: storiedKinds(),
  stories: STORIES,
  events: {
    delivery: [{ type: 'acquired' }, { type: 'drop' }, { type: 'erase' }],
    endpoint: [{ type: 'forget', deliveryId: 'd1' }, { type: 'erase' }],
    receiver: [{ type: 'wake' }, { type: 'erase' }],
  },
});
