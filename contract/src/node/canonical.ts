/**
 * One value, one text (RFC 8785), so that a signature made in one program verifies in another. Members are sorted by
 * code unit, nothing is indented, and numbers are written as ECMAScript writes them, which is what the RFC asks for.
 *
 * What JSON would silently change is refused instead: a signature must never cover less than its reader thinks.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical form.`);
      return JSON.stringify(value);
    case 'string':
      return canonicalString(value);
    case 'object':
      if (value === null) return 'null';
      // Holes become undefined here and are refused like any other missing value.
      if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(',')}]`;
      return canonicalObject(value);
    default:
      throw new TypeError(`A value of type ${typeof value} has no canonical form.`);
  }
}

function canonicalString(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('A string with half a surrogate pair has no canonical form.');
  return JSON.stringify(text);
}

function canonicalObject(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError('Only plain objects and arrays have a canonical form.');
  }
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${canonicalString(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/** The text that a signature covers: everything that travels, except the signature itself. */
export function signedText(envelope: { readonly signature?: unknown; readonly [member: string]: unknown }): string {
  const { signature: _, ...covered } = envelope;
  return canonicalJson(covered);
}
