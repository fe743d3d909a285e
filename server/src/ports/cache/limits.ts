/**
 * What every adapter refuses in the same words. The checks run before anything is sent, so a mistake never depends on
 * which store happens to be behind the port.
 */
const maxKeyLength = 512;
const maxValueBytes = 64 * 1024;
/** A year: far beyond anything short-lived, and small enough to add to any date. */
const maxSpanMs = 366 * 24 * 60 * 60 * 1000;
const maxCost = 1_000_000_000;
/** A sliding window remembers each call, so its limit is one of people and not of programs. */
const maxAdmissions = 1_000;

export function checkName(what: 'key' | 'channel', name: string): void {
  if (name.length === 0) throw new RangeError(`a cache ${what} must not be empty`);
  if (name.length > maxKeyLength) {
    throw new RangeError(`a cache ${what} has at most ${maxKeyLength} characters, this one has ${name.length}`);
  }
  if (name.includes('\0')) throw new RangeError(`a cache ${what} must not contain NUL`);
  if (!name.isWellFormed()) throw new RangeError(`a cache ${what} must be well-formed Unicode`);
}

/** Half a surrogate pair has no UTF-8 form: it would come back as another string, so it is refused instead. */
export function checkText(what: 'value' | 'message', text: string): void {
  if (!text.isWellFormed()) throw new RangeError(`a cache ${what} must be well-formed Unicode`);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxValueBytes) {
    throw new RangeError(`a cache ${what} has at most ${maxValueBytes} bytes, this one has ${bytes}`);
  }
}

export function checkSpan(what: 'ttlMs' | 'windowMs', spanMs: number): void {
  if (!Number.isSafeInteger(spanMs) || spanMs < 1 || spanMs > maxSpanMs) {
    throw new RangeError(`${what} must be a whole number of milliseconds from 1 to ${maxSpanMs}, not ${spanMs}`);
  }
}

export function checkCost(cost: number): void {
  if (!Number.isSafeInteger(cost) || cost < 1 || cost > maxCost) {
    throw new RangeError(`the cost of a hit must be a whole number from 1 to ${maxCost}, not ${cost}`);
  }
}

export function checkAdmissions(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxAdmissions) {
    throw new RangeError(
      `the limit of a sliding window must be a whole number from 1 to ${maxAdmissions}, not ${limit}`,
    );
  }
}
