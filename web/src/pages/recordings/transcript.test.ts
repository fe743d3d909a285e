import { describe, expect, it } from 'vitest';
import { findLines, longestPause, plainText, readCast, sizeIn, transcriptOf } from './transcript.ts';

const line = (...event: readonly unknown[]) => JSON.stringify(event);
const cast = (...lines: readonly string[]) =>
  [JSON.stringify({ version: 2, width: 80, height: 24 }), ...lines].join('\n');

describe('a recording in the console', () => {
  it('has its events with long pauses shortened', () => {
    const { events, seconds } = readCast(cast(line(0, 'o', 'a'), line(100, 'o', 'b'), line(100.5, 'm', 'mark')));
    expect(events.map(({ at }) => at)).toEqual([0, longestPause, longestPause + 0.5]);
    expect(seconds).toBe(longestPause + 0.5);
  });

  it('leaves out what is no event, and draws no screen of any size', () => {
    const { events, columns, rows } = readCast(
      [
        JSON.stringify({ width: 1e9, height: -3 }),
        'no json',
        line('x', 'o', 'a'),
        line(1, 'o'),
        line(1, 'o', 'b'),
      ].join('\n'),
    );
    expect([events.length, columns, rows]).toEqual([1, 500, 24]);
    expect(sizeIn('9999x9999')).toEqual({ columns: 500, rows: 200 });
    expect(sizeIn('1x1;rm')).toBeUndefined();
  });

  it('is searched in what a person would read, without sequences of the terminal', () => {
    expect(plainText('\u001b]0;title\u0007\u001b[31mred\u001b[0m\u0007\u001bPx\u001b\\ \u202eend')).toBe('red end');
    const lines = transcriptOf(
      readCast(cast(line(0, 'o', '$ l'), line(1, 'o', 's\r\nfile-'), line(2, 'o', '\u001b[1mone\u001b[0m\r\n'))),
    );
    expect(lines).toEqual([
      { at: 0, text: '$ ls' },
      { at: 1, text: 'file-one' },
    ]);
    expect(findLines(lines, ' FILE-ONE ', 10)).toEqual([{ at: 1, text: 'file-one' }]);
    expect(findLines(lines, '', 10)).toEqual([]);
  });
});
