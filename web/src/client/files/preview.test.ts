import { describe, expect, it } from 'vitest';
import { previewOf, textOf } from './preview.ts';

const file = (name: string, more: object = {}) => ({
  ...{ name, content_type: 'application/octet-stream', size_bytes: 10, is_folder: false },
  ...more,
});

describe('the preview of a file', () => {
  it.each([
    ['plot.png', 'image'],
    ['train.log', 'text'],
    ['page.html', 'text'],
    ['drawing.svg', 'text'],
    ['model.bin', undefined],
    ['notes', undefined],
  ])('of %s is %s', (name, kind) => {
    expect(previewOf(file(name))?.kind).toBe(kind);
  });

  it('is offered for no folder, no empty file and no huge image', () => {
    expect(previewOf(file('a.txt', { is_folder: true }))).toBeUndefined();
    expect(previewOf(file('a.txt', { size_bytes: 0 }))).toBeUndefined();
    expect(previewOf(file('a.png', { size_bytes: 50_000_000 }))).toBeUndefined();
  });

  it('shows text, also one that was cut in the middle of a letter, and no other bytes', () => {
    const bytes = (buffer: Buffer) => buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.length);
    expect(textOf(bytes(Buffer.from('größe'.repeat(40)).subarray(0, 3)) as ArrayBuffer)).toMatch(/^gr/);
    expect(textOf(bytes(Buffer.from([1, 0, 2])) as ArrayBuffer)).toBeUndefined();
    expect(textOf(bytes(Buffer.alloc(200, 0xff)) as ArrayBuffer)).toBeUndefined();
  });
});
