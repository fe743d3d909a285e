import { describe, expect, it } from 'vitest';
import { namespacePath, readStoragePath } from './path.ts';

const id = '01900000-0000-7000-8000-000000000001';
const inside = (segment: string) => readStoragePath(`shared/${segment}`);
const isRefused = (answer: unknown) => typeof answer === 'string';

describe('a path of storage', () => {
  it.each([
    ['shared/a.bin', { kind: 'shared', name: '', folder: '', leaf: 'a.bin', isFolder: false }],
    ['artifacts/', { kind: 'artifacts', name: '', folder: '', leaf: '', isFolder: true }],
    ['datasets/imagenet/train/0001.tar', { kind: 'datasets', name: 'imagenet', folder: 'train/', leaf: '0001.tar' }],
    [`users/${id}/notes/größe.txt`, { kind: 'users', name: id, folder: 'notes/', leaf: 'größe.txt' }],
    ['checkpoints/run-3/', { kind: 'checkpoints', name: 'run-3', folder: '', leaf: '', isFolder: true }],
    ['shared/100% of it', { leaf: '100% of it' }],
    ['shared/.hidden/...b', { folder: '.hidden/', leaf: '...b' }],
  ])('%s names a namespace and what lies in it', (text, expected) => {
    expect(readStoragePath(text)).toMatchObject(expected);
  });

  it.each([
    '',
    '/',
    'other/x',
    '/shared/x',
    'shared//x',
    'datasets',
    'datasets/',
    'datasets/UP/x',
    'datasets/../x',
    'users/me/x',
  ])('is not %j', (text) => {
    expect(isRefused(readStoragePath(text))).toBe(true);
  });

  it('has no segment that leads to another folder, in any spelling', () => {
    const dots = ['.', '%2e', '%2E', '%252e', '%25252E', '\uff0e', '\u2024', '\u2025'];
    const slashes = ['/', '\\', '%2f', '%5c', '%252f', '\uff0f', '\uff3c'];
    for (const one of dots) {
      for (const two of [...dots, '']) {
        const step = `${one}${two}`;
        expect(isRefused(inside(step)), step).toBe(true);
        for (const slash of slashes) expect(isRefused(inside(`${step}${slash}etc`)), step + slash).toBe(true);
      }
    }
  });

  it.each(['\0', '\x01', '\n', '\r', '\x7f', '\x9f', '\u200b', '\u202e', '\u2028', '\ufeff', '\ud800', '\ue000'])(
    'has no character that is not shown: %j',
    (character) => {
      for (const text of [character, `a${character}`, `${character}a`, `a${character}b`]) {
        expect(isRefused(inside(text))).toBe(true);
      }
    },
  );

  it.each(['a.', 'a ', ' a', 'a..', '...', 'a\u00a0', 'e\u0301'])('has no ambiguous name: %j', (text) => {
    expect(isRefused(inside(text))).toBe(true);
  });

  it('has bounds in bytes', () => {
    expect(isRefused(inside('ä'.repeat(127)))).toBe(false);
    expect(isRefused(inside('ä'.repeat(128)))).toBe(true);
    expect(isRefused(inside(`${'a'.repeat(200)}/`.repeat(6)))).toBe(true);
    expect(isRefused(inside('a/'.repeat(64)))).toBe(true);
  });

  it('of ten thousand hostile texts is refused, or comes back as it was and below its namespace', () => {
    const pieces = [
      '.',
      '..',
      '/',
      '\\',
      '%',
      '2e',
      '2f',
      '%2e',
      '%00',
      '\0',
      'a',
      ' ',
      'é',
      '\uff0e',
      '\u202e',
      '~',
      '$(x)',
      "'",
      '"',
      ';',
    ];
    let seed = 42;
    const next = (bound: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % bound;
    };
    for (let round = 0; round < 10_000; round += 1) {
      const text = `shared/${Array.from({ length: 1 + next(12) }, () => pieces[next(pieces.length)]).join('')}`;
      const read = readStoragePath(text);
      if (typeof read === 'string') continue;
      const back = `${namespacePath(read)}${read.folder}${read.leaf}`;
      expect(text === back || text === `${back}/`, text).toBe(true);
      expect(new URL(`https://host/${encodeURI(back)}`).pathname.startsWith('/shared/'), text).toBe(true);
      expect(back.split('/').includes('..'), text).toBe(false);
    }
  });
});
