/**
 * Idempotency keys for mutations. A second click or a retry after a lost answer has the same key; other input has
 * another key. When a mutation succeeds its key is dropped, so the same input later is a new request.
 */
export function makeKeyring(newKey: () => string = () => crypto.randomUUID()) {
  const open = new Map<string, string>();
  const running = new Set<string>();
  const nameOf = (act: string, input: unknown) => `${act} ${JSON.stringify(input)}`;
  return {
    keyFor(act: string, input: unknown): string {
      const name = nameOf(act, input);
      const key = open.get(name) ?? newKey();
      open.set(name, key);
      return key;
    },
    /** Whether this request may be sent now: false while the same one is on its way. */
    begin(act: string, input: unknown): boolean {
      const name = nameOf(act, input);
      if (running.has(name)) return false;
      running.add(name);
      return true;
    },
    /** The request was answered, or failed. */
    end(act: string, input: unknown): void {
      running.delete(nameOf(act, input));
    },
    done(act: string, input: unknown): void {
      open.delete(nameOf(act, input));
    },
  };
}
