/** How tall a bar of these layers is. */
export const heightOf = (layers: readonly number[]): number => layers.reduce((sum, layer) => sum + layer, 0);

/** The layers of one bar, in the order of the groups that are drawn by themselves; the last layer is all others together. */
export function layersOf(parts: readonly (readonly [key: string, size: number])[], drawn: readonly string[]): number[] {
  const sizes = (wanted: (key: string) => boolean) =>
    heightOf(parts.flatMap(([key, size]) => (wanted(key) ? [size] : [])));
  return [...drawn.map((each) => sizes((key) => key === each)), sizes((key) => !drawn.includes(key))];
}
