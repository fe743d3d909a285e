import { terminalLimits } from '@gpuaas/contract/terminal';

/** Input on its way to a shell, in order and bounded: what the shell does not take stops at the gateway. */
export interface Input {
  add(bytes: Uint8Array): void;
  readonly isFull: boolean;
}

export function makeInput(parts: {
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Called when it becomes full, and when it is no longer. */
  readonly onChange: () => void;
  readonly limitBytes?: number;
}): Input {
  const { limitBytes = terminalLimits.pauseAboveBytes } = parts;
  let waiting = 0;
  let isFull = false;
  let last = Promise.resolve();
  const count = (change: number) => {
    waiting += change;
    const now = isFull ? waiting > limitBytes / 2 : waiting > limitBytes;
    if (now === isFull) return;
    isFull = now;
    parts.onChange();
  };
  return {
    add(bytes) {
      count(bytes.length);
      const done = () => count(-bytes.length);
      last = last.then(() => parts.write(bytes)).then(done, done);
    },
    get isFull() {
      return isFull;
    },
  };
}
