/**
 * Named places where a test may make the process die, stall or fail, to see that nothing acknowledged is lost. Outside
 * of tests nothing is armed and passing one costs a single comparison.
 */
export type Failure = 'kill' | 'stall' | 'fail';

export const failpointNames = [
  'write.before-commit',
  'write.after-commit',
  'http.before-response',
  'relay.after-publish',
  'consumer.after-effect',
] as const;
export type FailpointName = (typeof failpointNames)[number];

let armed: Map<FailpointName, { failure: Failure; after: number }> | undefined;

/** `write.after-commit=kill` or `…=kill:3` for the third passage; several are separated by commas. */
export function armFailpoints(spec: string): void {
  armed = new Map();
  for (const part of spec.split(',').filter(Boolean)) {
    const [name, rest = ''] = part.split('=');
    const [failure, after = '1'] = rest.split(':');
    if (!failpointNames.includes(name as FailpointName)) throw new Error(`there is no failpoint ${name}`);
    if (failure !== 'kill' && failure !== 'stall' && failure !== 'fail') throw new Error(`${failure} is no failure`);
    if (!/^[1-9][0-9]*$/.test(after)) throw new Error(`${after} is no number of passages`);
    armed.set(name as FailpointName, { failure, after: Number(after) });
  }
}
export function disarmFailpoints(): void {
  armed = undefined;
}

/** Resolves at once unless a test armed this place. */
export function failpoint(name: FailpointName): Promise<void> | undefined {
  if (armed === undefined) return undefined;
  const set = armed.get(name);
  if (!set || --set.after > 0) return undefined;
  armed.delete(name);
  switch (set.failure) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => undefined);
    case 'stall':
      return new Promise(() => undefined);
    case 'fail':
      return Promise.reject(new Error(`failpoint ${name}`));
  }
}
