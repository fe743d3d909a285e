import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The collector, which a process shows only when it is asked to. */
const collect = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

/**
 * What this process holds on the heap and in buffers after garbage was collected: the lowest of several looks, because what
 * a socket lets go of is collected one turn later. Memory that the allocator keeps for itself does not count.
 */
export async function heldBytes(): Promise<number> {
  const looks: number[] = [];
  for (let look = 0; look < 4; look += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    const { heapUsed, external } = process.memoryUsage();
    looks.push(heapUsed + external);
  }
  return Math.min(...looks);
}
