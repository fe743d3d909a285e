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
/** Short cuts of the product that a test may close, to send everything the long way. `life.ahead=skip` closes that one. */
export const shortCutNames = ['life.ahead'] as const;
export type ShortCutName = (typeof shortCutNames)[number];
/** What a passage is about; several things where a batch passes. */
export type About = string | (() => readonly string[]);

/** Failpoints that were requested at the start and are not armed yet. */
const nothing = 'none';

let armed: Map<string, { failure: Failure; after: number }> | undefined;
let closed: ReadonlySet<string> = new Set();

/**
 * `write.after-commit=kill`, `…=kill:3` for the third passage, `write.after-commit@allocation.create=kill` for what is
 * about that; several are separated by commas. `life.ahead=skip` closes a short cut.
 */
export function armFailpoints(spec: string): void {
  const arming: typeof armed = new Map();
  const parts = spec === nothing ? [] : spec.split(',').filter(Boolean);
  const isSkip = (part: string) => shortCutNames.some((name) => part === `${name}=skip`);
  for (const part of parts.filter((each) => !isSkip(each))) {
    const [place = '', rest = ''] = part.split('=');
    const [name] = place.split('@');
    const [failure, after = '1'] = rest.split(':');
    if (!failpointNames.includes(name as FailpointName)) throw new Error(`there is no failpoint ${name}`);
    if (failure !== 'kill' && failure !== 'stall' && failure !== 'fail') throw new Error(`${failure} is no failure`);
    if (!/^[1-9][0-9]*$/.test(after)) throw new Error(`${after} is no number of passages`);
    arming.set(place, { failure, after: Number(after) });
  }
  armed = arming;
  closed = new Set(parts.filter(isSkip).map((part) => part.split('=')[0] ?? ''));
}
export function disarmFailpoints(): void {
  armed = undefined;
  closed = new Set();
}
/** Whether a test closed this short cut. */
export const isClosed = (name: ShortCutName): boolean => closed.has(name);

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
