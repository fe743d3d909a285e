/** Wakes a waiter when something has changed. If it rings while there is no waiter, the next one is woken at once. */
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
