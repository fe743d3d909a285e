import { describe, expect, it } from 'vitest';
import { Fault } from './fault.ts';
import { makePage, readCursor, readPage } from './page.ts';

const id = '01890000-0000-7000-8000-000000000000';
const rows = Array.from({ length: 4 }, (_, n) => ({ id: id.replace(/.$/, String(n)) }));
const pageOf = (count: number, limit: number) =>
  makePage(
    'things',
    rows.slice(0, count),
    limit,
    (row) => row.id,
    (row) => row.id.at(-1),
  );
const cursor = (text: string) => Buffer.from(text).toString('base64url');

describe('a page', () => {
  it('says that there is more when one row more was read, and where it goes on', () => {
    const page = pageOf(4, 3);
    expect(page).toMatchObject({ data: ['0', '1', '2'], has_more: true });
    expect(readCursor('things', page.next_cursor ?? '')).toBe(rows[2]?.id);
  });

  it('is the last one when no row more was read, even if it is full or empty', () => {
    expect(pageOf(3, 3)).toEqual({ data: ['0', '1', '2'], has_more: false, next_cursor: null });
    expect(pageOf(0, 3)).toEqual({ data: [], has_more: false, next_cursor: null });
    expect(pageOf(2, 0)).toEqual({ data: [], has_more: false, next_cursor: null });
  });
});

describe('a list', () => {
  const read = async (at: string | undefined, limit: number) =>
    rows.filter((row) => at === undefined || row.id > at).slice(0, limit);
  const list = (query: { cursor?: string; limit?: number }) =>
    readPage({ name: 'things', query, read, keyOf: (row) => row.id, show: (row) => row.id.at(-1) });

  it('is read page after page, each row once', async () => {
    const first = await list({ limit: 3 });
    expect(first).toMatchObject({ data: ['0', '1', '2'], has_more: true });
    const cursor = (first as { next_cursor: string }).next_cursor;
    expect(await list({ limit: 3, cursor })).toEqual({ data: ['3'], has_more: false, next_cursor: null });
    expect(await list({})).toMatchObject({ data: ['0', '1', '2', '3'], has_more: false });
  });

  it('reads nothing for the cursor of another list', async () => {
    const asked = readPage({
      name: 'others',
      query: { cursor: cursor(`things:${id}`) },
      read: () => Promise.reject(new Error('somebody read')),
      keyOf: () => '',
      show: (row) => row,
    });
    expect(await asked).toMatchObject({ code: 'cursor_invalid' });
  });
});

describe('a cursor', () => {
  it('may be left out', () => {
    expect(readCursor('things', undefined)).toBeUndefined();
  });

  it.each([
    '',
    'nonsense',
    cursor('things'),
    cursor('things:'),
    cursor(`others:${id}`),
    cursor(`things:${id}0`),
    cursor('things:7'),
    cursor('things:---'),
    cursor(`:${id}`),
    cursor(`things:${id.toUpperCase()}x`),
    cursor("things:' or 1=1"),
  ])('is refused when this list did not make it: %s', (text) => {
    const read = readCursor('things', text);
    expect(read).toBeInstanceOf(Fault);
    expect(read).toMatchObject({ code: 'cursor_invalid' });
  });

  it('of a numbered list holds a number that Postgres can hold', () => {
    expect(readCursor('letters', cursor('letters:42'), 'number')).toBe('42');
    for (const key of [id, '9'.repeat(19), '-1', '1.5', '']) {
      expect(readCursor('letters', cursor(`letters:${key}`), 'number'), key).toBeInstanceOf(Fault);
    }
  });
});
