/** Chance that can be repeated: the same seed makes the same month. */
export function makeChance(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return {
    below,
    between: (least: number, most: number) => least + below(most - least + 1),
    oneIn: (times: number) => below(times) === 0,
    pick: <T>(of: readonly T[]): T => of[below(of.length)] as T,
  };
}
export type Chance = ReturnType<typeof makeChance>;
