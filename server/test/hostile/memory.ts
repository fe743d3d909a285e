import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * What this process holds after garbage was collected: the heap and what lies outside it (buffers). The lowest of
 * several looks counts, because what a socket or a timer lets go of is collected one turn later.
 */
export async function heldBytes(looks = 4): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < looks; look += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    const { heapUsed, external } = process.memoryUsage();
    least = Math.min(least, heapUsed + external);
  }
  return least;
}

/** The collector, which a process shows only when it is asked to. */
const collect = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

/** By how many bytes one round of some work makes the process grow, over many rounds. */
export async function bytesKeptEach(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const before = await heldBytes();
  await work();
  return ((await heldBytes()) - before) / rounds;
}
