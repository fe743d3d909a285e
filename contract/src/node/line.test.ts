import { describe, expect, it } from 'vitest';
import { longestLine, makeLineReader } from './line.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
function collect() {
  const lines: string[] = [];
  return { lines, read: makeLineReader((line) => lines.push(line)) };
}

describe('a reader of lines', () => {
  it('finds the same lines wherever the bytes were cut, also within a character', () => {
    const whole = bytes('{"a":"größer 漢字 🙂"}\n\n{"b":2}\n{"c"');
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const { lines, read } = collect();
      expect(read(whole.subarray(0, cut)) && read(whole.subarray(cut))).toBe(true);
      expect(lines).toEqual(['{"a":"größer 漢字 🙂"}', '', '{"b":2}']);
      read(bytes(':3}\n'));
      expect(lines[3]).toBe('{"c":3}');
    }
  });

  it('gives up on a line that is too long, whether it ends or not', () => {
    const long = 'x'.repeat(longestLine + 1);
    for (const text of [long, `${long}\n`]) {
      const { lines, read } = collect();
      expect(read(bytes(text))).toBe(false);
      expect(lines).toEqual([]);
    }
    const { lines, read } = collect();
    expect(read(bytes(`${'x'.repeat(longestLine)}\n`))).toBe(true);
    expect(lines).toHaveLength(1);
  });
});
