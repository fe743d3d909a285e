import fc from 'fast-check';

const words = (canary: string) =>
  fc.constantFrom(
    ...[`; touch ${canary};`, `$(touch ${canary})`, `\`touch ${canary}\``, `| touch ${canary}`, `\ntouch ${canary}\n`],
    ...['--', '-', '-o', '--root=/tmp', '../', '/', '..', '~', '*', '?', '$', '$IFS', '%s', '\\', "'", '"', '#', '!'],
    ...[':', ',', ' ', '\t', '\n', '\r', '\0', '\u001b[2J', '\u202e', '\u{1f512}', 'é', '=', '==', '@', '<', '>', '&'],
    ...['root', 'a', 'z9', '0', 'GPU-', 'ssh-ed25519 ', 'AAAA', '{{7*7}}', '0x10', '-1', '1e9', 'ſ', 'K'],
  );
/** Values for any field, most of them hostile. One that got as far as a shell would make the canary. */
export const mischief = (canary: string) =>
  fc.oneof(
    fc.array(words(canary), { maxLength: 6 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
    // Close to what is allowed, and allowed: the ones that go through.
    fc.stringMatching(/^[a-z][a-z0-9_-]{0,31}$/),
    fc.stringMatching(/^[a-z][a-z0-9_-]{0,31}\n?$/),
    fc.stringMatching(/^[a-z0-9@.-]{1,20} [A-Za-z0-9+/]{1,60}={0,2}$/),
    fc.uuid(),
    fc.uuid().map((uuid) => `GPU-${uuid}`),
    fc.integer({ min: -2_000_000_001, max: 2_100_000_000 }),
    fc.oneof(
      fc.double(),
      fc.constantFrom(null, undefined, true, [], {}, ['a'], { toString: 'a' }, 1_000, 2_000_000_000),
    ),
    fc.constantFrom('x'.repeat(33), 'y'.repeat(100_000), 'a'.repeat(32)),
  );

export type Params = Record<string, unknown>;

/** The way to every value in the params, through lists too. */
export function waysInto(value: unknown, way: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [way];
  return Object.entries(value).flatMap(([name, member]) => waysInto(member, [...way, name]));
}
export function withValue(params: Params, way: readonly string[], value: unknown): Params {
  const [step = '', ...rest] = way;
  const next = rest.length === 0 ? value : withValue(params[step] as Params, rest, value);
  return (Array.isArray(params) ? params.with(Number(step), next) : { ...params, [step]: next }) as Params;
}
