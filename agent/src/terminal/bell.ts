/** Wakes those who wait for something to change; they look for themselves what it was. */
export interface Bell {
  wait(): Promise<void>;
  ring(): void;
}

export function makeBell(): Bell {
  let next = Promise.withResolvers<void>();
  return {
    wait: () => next.promise,
    ring() {
      next.resolve();
      next = Promise.withResolvers<void>();
    },
  };
}
