import type { Letter } from './port.ts';

/**
 * What no sender would ever deliver is refused before it is tried, in the same words everywhere. Above all: nothing
 * that becomes a header may contain a line break, or it could begin a header of its own.
 */
const maxBodyBytes = 1024 * 1024;
const maxSubjectLength = 500;
/** One bare address: no display name, no list, no quoting, no address literal. */
const address = /^[^\s<>(),;:"\\@[\]\p{C}]{1,64}@[^\s<>(),;:"\\@[\]\p{C}]{1,189}$/u;

export function findObjection(letter: Letter): string | undefined {
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(letter.id)) return 'the id of the letter cannot be part of a Message-ID';
  if (!/^[!-~]{1,200}$/.test(letter.correlationId)) return 'the correlation id cannot be a header';
  if (letter.unsubscribeUrl !== undefined && !/^https?:\/\/[!-;=?-~]{1,1000}$/.test(letter.unsubscribeUrl)) {
    return 'the address to unsubscribe cannot be a header';
  }
  if (!address.test(letter.to)) return 'the recipient is not one plain address';
  if (/\p{Cc}|\u2028|\u2029/u.test(letter.subject)) return 'the subject contains control characters';
  if (letter.subject.length > maxSubjectLength) return `the subject has more than ${maxSubjectLength} characters`;
  for (const body of [letter.text, letter.html ?? '']) {
    if (Buffer.byteLength(body) > maxBodyBytes) return `the letter has more than ${maxBodyBytes} bytes`;
    if (body.includes('\0')) return 'the letter contains NUL';
  }
  const whole = letter.subject + letter.text + (letter.html ?? '');
  return whole.isWellFormed() ? undefined : 'the letter is not well-formed Unicode';
}

export function messageIdOf(letterId: string, domain: string): string {
  return `<${letterId}@${domain}>`;
}
