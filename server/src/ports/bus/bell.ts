/** Wakes whoever waits when something has changed. Rung while nobody waits, it rings once for the next who comes. */
export interface Bell {
  ring(): void;
  wait(): Promise<void>;
}

export function makeBell(): Bell {
  let rung = false;
  let waiters: (() => void)[] = [];
  return {
    ring() {
      rung = waiters.length === 0;
      const woken = waiters;
      waiters = [];
      for (const wake of woken) wake();
    },
    wait: () =>
      new Promise((resolve) => {
        if (!rung) return void waiters.push(resolve);
        rung = false;
        resolve();
      }),
  };
}
