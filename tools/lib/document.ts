/** The anchor of a heading, as the usual renderers make it: `What it is` is reached under `#what-it-is`. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** What stands between the lines of dashes at the top of a page, by name. */
export function frontMatter(text: string): Readonly<Record<string, string>> {
  const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  return Object.fromEntries(
    [...front.matchAll(/^([a-z_]+):\s*(.*)$/gm)].map(([, name = '', value = '']) => [name, value.trim()]),
  );
}

/** The page without what stands between those lines. */
export const withoutFrontMatter = (text: string): string => text.replace(/^---\n[\s\S]*?\n---\n/, '');
