/**
 * Named places where a test may make the process die, stall or fail, to see that nothing acknowledged is lost. Outside
 * of tests nothing is armed and passing one costs a single comparison.
 *
 * A place may say what it is about, the action of a write or the step of a saga, and then be armed for that alone. So a
 * few places are a before and an after of everything that ever happens.
 */
export type Failure = 'kill' | 'stall' | 'fail';

export const failpointNames = [
  'http.before-response',
  'write.before-commit',
  'write.after-commit',
  'relay.before-publish',
  'relay.after-publish',
  'relay.after-mark',
  'consumer.before-effect',
  'consumer.after-effect',
  'saga.before-step',
  'saga.after-step',
  'node.received',
  'node.before-answer',
] as const;
export type FailpointName = (typeof failpointNames)[number];
/** What a passage is about; several things where a batch passes. */
export type About = string | (() => readonly string[]);

/** Failpoints that were requested at the start and are not armed yet. */
const nothing = 'none';

let armed: Map<string, { failure: Failure; after: number }> | undefined;

/**
 * `write.after-commit=kill`, `…=kill:3` for the third passage, `write.after-commit@allocation.create=kill` for what is
 * about that; several are separated by commas.
 */
export function armFailpoints(spec: string): void {
  const arming: typeof armed = new Map();
  for (const part of spec === nothing ? [] : spec.split(',').filter(Boolean)) {
    const [place = '', rest = ''] = part.split('=');
    const [name] = place.split('@');
    const [failure, after = '1'] = rest.split(':');
    if (!failpointNames.includes(name as FailpointName)) throw new Error(`there is no failpoint ${name}`);
    if (failure !== 'kill' && failure !== 'stall' && failure !== 'fail') throw new Error(`${failure} is no failure`);
    if (!/^[1-9][0-9]*$/.test(after)) throw new Error(`${after} is no number of passages`);
    arming.set(place, { failure, after: Number(after) });
  }
  armed = arming;
}
export function disarmFailpoints(): void {
  armed = undefined;
}

/** Resolves at once unless a test armed this place. */
export function failpoint(name: FailpointName, about?: About): Promise<void> | undefined {
  if (armed === undefined) return undefined;
  const things = typeof about === 'function' ? about() : about === undefined ? [] : [about];
  for (const place of [name, ...things.map((thing) => `${name}@${thing}`)]) {
    const set = armed.get(place);
    if (!set || --set.after > 0) continue;
    armed.delete(place);
    return happen(place, set.failure);
  }
  return undefined;
}

function happen(place: string, failure: Failure): Promise<void> {
  switch (failure) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => undefined);
    case 'stall':
      return new Promise(() => undefined);
    case 'fail':
      return Promise.reject(new Error(`failpoint ${place}`));
  }
}
