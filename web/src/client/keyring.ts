/**
 * Keys for acts, so that nothing happens twice. The same act asked for again, by a second click or after an answer that
 * got lost, carries the same key; an act with other words is another act. Once an act is done its key is forgotten: whoever
 * asks for the same thing later means it once more.
 */
export function makeKeyring(newKey: () => string = () => crypto.randomUUID()) {
  const open = new Map<string, string>();
  const nameOf = (act: string, input: unknown) => `${act} ${JSON.stringify(input)}`;
  return {
    keyFor(act: string, input: unknown): string {
      const name = nameOf(act, input);
      const key = open.get(name) ?? newKey();
      open.set(name, key);
      return key;
    },
    done(act: string, input: unknown): void {
      open.delete(nameOf(act, input));
    },
  };
}
