import { describe, expect, it } from 'vitest';
import { csvLine } from './csv.ts';

/** Splits as a spreadsheet does that was set to this separator: quotes count only at the beginning of a cell. */
function open(line: string, separator: string): string[] {
  const cells: string[] = [];
  let at = 0;
  const body = line.replace(/\r\n$/, '');
  while (at <= body.length) {
    let cell = '';
    if (body[at] === '"') {
      for (at += 1; at < body.length; at += 1) {
        if (body[at] !== '"') cell += body[at];
        else if (body[at + 1] === '"') {
          cell += '"';
          at += 1;
        } else break;
      }
      at += 1;
    }
    while (at < body.length && body[at] !== separator && body[at] !== '\n' && body[at] !== '\r') {
      cell += body[at];
      at += 1;
    }
    cells.push(cell);
    at += 1;
  }
  return cells;
}
const isFormula = (cell: string) =>
  /^[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(cell) && !/^-?\d/.test(cell);
const payload = "cmd|'/c calc'!A1";
const hostile = [
  ...['=', '+', '-', '@', '\t=', '\r=', ' =', '\u00a0=', '\uff1d'].map((sign) => `${sign}${payload}`),
  ...[';', ',', '\t', '\r', '\n', '\r\n', '; ', '";', ';"', ';""', '","', '"\n'].flatMap((gap) => [
    `name${gap}=${payload}`,
    `name${gap}+${payload}`,
    `"${gap}@SUM(1)${gap}-2+3`,
  ]),
  '=1;=2;=3',
  `x"=${payload}`,
];

describe('a line of CSV', () => {
  it('has no formula in any cell, whichever separator a spreadsheet splits at', () => {
    for (const name of hostile) {
      const line = csvLine(['first', name, 'last']);
      for (const separator of [',', ';', '\t']) {
        const cells = open(line, separator);
        expect(cells.filter(isFormula), `${JSON.stringify(name)} split at ${JSON.stringify(separator)}`).toEqual([]);
      }
    }
  });

  it('keeps the cells of a reader that knows the separator, and numbers as they are', () => {
    expect(open(csvLine(['a;b', 'tab\there', 'plain', -12.5, '-3', 'two\nlines', 'a "quote"']), ',')).toEqual([
      ...['a;b', 'tab\there', 'plain', '-12.5', '-3', 'two\nlines', 'a "quote"'],
    ]);
    expect(csvLine([null, undefined, { a: 1 }])).toBe(',,"{""a"":1}"\r\n');
    expect(csvLine(['=1'])).toBe("'=1\r\n");
  });
});
