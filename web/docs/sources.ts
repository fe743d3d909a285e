import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPage, type Source } from './book.ts';

/** The folders that contain pages. Packages, test data and the rest of the tree are not pages. */
const places = ['docs', 'api/machines', 'agent', 'cli', 'db', 'sdk', 'server/src', 'web'];
const ours = ['README.md', 'CONTRIBUTING.md', 'STYLE.md'];

/** Every file of the repository that is a page. */
export async function readSources(root: string): Promise<Source[]> {
  const found = await Promise.all(places.map((place) => listPages(root, place)));
  const paths = [...ours, ...found.flat()].filter(isPage).sort();
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })));
}
async function listPages(root: string, place: string): Promise<string[]> {
  const entries = await readdir(join(root, place), { withFileTypes: true });
  const deeper = entries.filter((entry) => entry.isDirectory() && !/^(?:node_modules|dist|\.)/.test(entry.name));
  const below = await Promise.all(deeper.map(({ name }) => listPages(root, `${place}/${name}`)));
  return [...entries.filter((entry) => entry.isFile()).map(({ name }) => `${place}/${name}`), ...below.flat()];
}
