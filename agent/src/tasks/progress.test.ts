import type { NodeTaskProgress } from '@gpuaas/contract/node';
import { describe, expect, it } from 'vitest';
import { makeProgress } from './progress.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A wire that takes one word at a time. */
function makeWire() {
  const said: string[] = [];
  const arrivals: (() => void)[] = [];
  const post = ({ phase, state, percent }: NodeTaskProgress) => {
    said.push(`${phase} ${state}${percent === undefined ? '' : ` ${percent}`}`);
    return new Promise<void>((resolve) => arrivals.push(resolve));
  };
  const arrive = async () => {
    arrivals.shift()?.();
    await turn();
  };
  return { said, post, arrive };
}
const make = (post: (progress: NodeTaskProgress) => Promise<void>) =>
  makeProgress({ generation: 1, now: () => new Date(0), hesitate: async () => undefined, post });

describe('progress', () => {
  it('tells when each phase of a slow host begins and ends', async () => {
    const { said, post, arrive } = makeWire();
    const progress = make(post);
    progress.phase('lease');
    await arrive();
    progress.phase('image', 10);
    await arrive();
    await arrive();
    progress.phase('image', 60.4);
    await arrive();
    expect(said).toEqual(['lease began', 'lease ended', 'image began 10', 'image began 60']);
  });

  it('leaves out what was over before it could be said', async () => {
    const { said, post, arrive } = makeWire();
    const progress = make(post);
    progress.phase('lease');
    await turn();
    for (const phase of ['host_check', 'vfio_bind', 'image']) progress.phase(phase);
    await arrive();
    await arrive();
    await arrive();
    expect(said).toEqual(['lease began', 'lease ended', 'image began']);
  });

  it('says nothing about what was over before it was worth a word', async () => {
    const { said, post } = makeWire();
    const asked: AbortSignal[] = [];
    const progress = makeProgress({
      ...{ generation: 1, now: () => new Date(0), post },
      hesitate: (signal) => {
        asked.push(signal);
        return new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    for (const phase of ['lease', 'image', 'boot']) progress.phase(phase);
    await progress.end();
    expect({ said, waits: asked.length }).toEqual({ said: [], waits: 1 });
  });

  it('waits for the word on its way and drops the others when the task is over', async () => {
    const { said, post, arrive } = makeWire();
    const progress = make(post);
    progress.phase('lease');
    await turn();
    progress.phase('image');
    let isOver = false;
    const end = progress.end().then(() => {
      isOver = true;
    });
    await turn();
    expect(isOver).toBe(false);
    await arrive();
    await end;
    progress.phase('late');
    expect(said).toEqual(['lease began']);
  });
});
