/**
 * JSON can say things that Postgres and UTF-8 cannot hold, and that arithmetic gets wrong: a NUL, half of a surrogate
 * pair, a whole number beyond 2^53, a value a thousand levels deep. A schema rarely speaks of them. They are refused here,
 * by name and for every operation, instead of failing somewhere further in as if the fault were ours.
 */
const maxDepth = 64;
const maxFaults = 20;

export interface Unkeepable {
  /** Names from the outside in, joined by dots; empty for the whole value. */
  readonly at: string;
  readonly why: string;
}

export function unkeepable(value: unknown): Unkeepable[] {
  const faults: Unkeepable[] = [];
  const look = (item: unknown, at: string, depth: number): void => {
    if (faults.length >= maxFaults) return;
    const why = faultOf(item, depth);
    if (why) faults.push({ at, why });
    else if (typeof item === 'object' && item !== null) {
      for (const [name, inner] of Object.entries(item)) {
        const within = at ? `${at}.${name}` : name;
        const wrongName = textFault(name);
        if (wrongName) faults.push({ at: at || 'a name', why: wrongName });
        else look(inner, within, depth + 1);
      }
    }
  };
  look(value, '', 0);
  return faults;
}

function faultOf(item: unknown, depth: number): string | undefined {
  switch (typeof item) {
    case 'string':
      return textFault(item);
    case 'number':
      return Number.isInteger(item) && !Number.isSafeInteger(item) ? 'is too large a number to be exact' : undefined;
    case 'object':
      return depth > maxDepth ? 'is nested too deeply' : undefined;
    default:
      return undefined;
  }
}

const textFault = (text: string): string | undefined =>
  text.includes('\u0000') || !text.isWellFormed() ? 'holds a character that cannot be kept' : undefined;
