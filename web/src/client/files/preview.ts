import type { StorageObject } from '@gpuaas/sdk';

/** How much of a text is shown. */
export const shownTextBytes = 65_536;
/** Larger images are downloaded instead: the browser would hold them unpacked. */
const largestImageBytes = 20_000_000;

const images: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};
const texts = new Set(
  (
    'txt md log csv tsv json jsonl ndjson yaml yml toml ini cfg conf env py ts tsx js jsx mjs sh bash zsh c h cc cpp hpp cu cuh ' +
    'go rs java rb pl r sql xml html htm css svg dockerfile makefile gitignore lock ipynb tex'
  ).split(' '),
);
const endOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();

export type PreviewKind = { readonly kind: 'image'; readonly type: string } | { readonly kind: 'text' };
/** How a file can be looked at; undefined where it can only be downloaded. Pages and drawings are shown as their text. */
export function previewOf({
  name,
  content_type,
  size_bytes,
  is_folder,
}: Pick<StorageObject, 'name' | 'content_type' | 'size_bytes' | 'is_folder'>): PreviewKind | undefined {
  if (is_folder || size_bytes === 0) return undefined;
  const image = images[endOf(name)];
  if (image) return size_bytes <= largestImageBytes ? { kind: 'image', type: image } : undefined;
  return texts.has(endOf(name)) || content_type.startsWith('text/') ? { kind: 'text' } : undefined;
}

/** The text of bytes; undefined for what is none. The cut may have gone through a letter. */
export function textOf(bytes: ArrayBuffer): string | undefined {
  const text = new TextDecoder().decode(bytes);
  const odd = text.split('\ufffd').length - 1;
  return text.includes('\0') || odd > 2 + text.length / 100 ? undefined : text;
}
