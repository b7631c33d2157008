import { fastTransitionFeatures } from '../actors/fast-transition.features.js';
import { STORIES, storiedKinds } from './snapshot-stories.js';

fastTransitionFeatures({
  kinds: storiedKinds(),
  stories: STORIES,
  events: {
    delivery: [{ type: 'granted' }],
    endpoint: [{ type: 'forget', deliveryId: 'd1' }],
  },
});
