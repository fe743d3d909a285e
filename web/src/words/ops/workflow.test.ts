import { describe, expect, it } from 'vitest';
import { takenBack } from './workflow.ts';

const plan = (['failure', 'step', 'step', 'wait', 'step'] as const).map((kind, index) => ({
  name: `${kind}-${index}`,
  kind,
  undoes: index !== 2,
  attempts: 3,
}));

describe('what is taken back when a run is called off', () => {
  it('is what lies behind it, in reverse, without what has no undo', () => {
    expect(takenBack({ plan, step: 'wait-3' })).toEqual(['step-1']);
    expect(takenBack({ plan, step: 'step-4' })).toEqual(['wait-3', 'step-1']);
  });

  it('is nothing at the first step', () => {
    expect(takenBack({ plan, step: 'step-1' })).toEqual([]);
    expect(takenBack({ plan, step: null })).toEqual([]);
  });
});
