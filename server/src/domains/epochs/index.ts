export { beginEpoch, type Epoch } from './epochs.ts';
