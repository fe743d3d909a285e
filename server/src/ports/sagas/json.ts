/**
 * What a saga carries from step to step is written down and read back, perhaps by another process. Engines differ in
 * what survives that (one keeps dates, another turns them into text), so the port allows only what survives
 * everywhere and refuses the rest at once, where the mistake was made.
 */
export function asJson(value: unknown, path = 'the value'): unknown {
  if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw new TypeError(`${path} is ${value}, which JSON cannot hold`);
  }
  if (Array.isArray(value)) return value.map((item, index) => asJson(item ?? null, `${path}[${index}]`));
  if (typeof value !== 'object') throw new TypeError(`${path} is a ${typeof value}, which JSON cannot hold`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`${path} is a ${value.constructor.name}, which does not survive as JSON`);
  }
  const plain: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) plain[key] = asJson(item, `${path}.${key}`);
  }
  return plain;
}
