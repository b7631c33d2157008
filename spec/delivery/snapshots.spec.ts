import { corpusFeatures } from '../actors/stage/snapshot-corpus.features.js';
import { STORIES, storiedKinds } from './snapshot-stories.js';

corpusFeatures({
  folder: new URL('../../../spec/delivery/snapshots/', import.meta.url),
  kinds: storiedKinds(),
  stories: STORIES,
});
