/**
 * Idempotency keys for mutations. A second click or a retry after a lost answer has the same key; other input has
 * another key. When a mutation succeeds its key is dropped, so the same input later is a new request.
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
