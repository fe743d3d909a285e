import { defineMachine } from '../machine.ts';

/** How far a version of an app has come. Whether it is trusted is another question with a machine of its own. */
export const appArtifact = defineMachine({
  name: 'app_artifact',
  initial: 'published',
  terminal: ['retired'],
  states: {
    published: { promote: 'promoted', retire: 'retired' },
    promoted: { deprecate: 'deprecated', retire: 'retired' },
    deprecated: { promote: 'promoted', retire: 'retired' },
    retired: {},
  },
});
