import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's top folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A tree of text files by path, with `/` between folders: the repository, or a canary that breaks a law on purpose. */
export interface Tree {
  readonly paths: readonly string[];
  has(path: string): boolean;
  text(path: string): string;
}

export function makeTree(files: Readonly<Record<string, string>>): Tree {
  return {
    paths: Object.keys(files).sort(),
    has: (path) => Object.hasOwn(files, path),
    text: (path) => {
      const text = files[path];
      if (text === undefined) throw new Error(`no file ${path} in this tree`);
      return text;
    },
  };
}

/** Files that git knows or would take: what is ignored is nobody's concern, what is new already counts. */
export function repositoryPaths(): string[] {
  return (gitPaths() ?? folderPaths()).filter((path) => existsSync(join(root, path))).sort();
}

function gitPaths(): string[] | undefined {
  try {
    return execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .split('\0')
      .filter((path) => path !== '');
  } catch {
    return undefined;
  }
}

/** Without git (an unpacked archive, a tree of another user) the folder itself is looked at. */
function folderPaths(): string[] {
  const leftOut = new Set([
    '.git',
    ...listLines(readFileSync(join(root, '.gitignore'), 'utf8')).map((line) => line.replace(/\/$/, '')),
  ]);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split('/').some((part) => leftOut.has(part)) && !path.endsWith('.log'));
}

let cached: Tree | undefined;

/** The repository as it lies on the disk. Read once per process; texts are kept. */
export function repository(): Tree {
  if (cached) return cached;
  const paths = repositoryPaths();
  const known = new Set(paths);
  const texts = new Map<string, string>();
  cached = {
    paths,
    has: (path) => known.has(path),
    text: (path) => {
      const kept = texts.get(path);
      if (kept !== undefined) return kept;
      const text = readFileSync(join(root, path), 'utf8');
      texts.set(path, text);
      return text;
    },
  };
  return cached;
}

export const isCanary = (path: string): boolean => path.startsWith('tools/laws/canaries/');
const isTest = (path: string): boolean => /\.test\.ts$/.test(path);
/** Parts that only tests may import: builders, suites, servers for a test run. */
export const isForTests = (path: string): boolean =>
  path.startsWith('server/src/testing/') ||
  path.startsWith('agent/src/testing/') ||
  /^(?:server\/src\/ports\/[^/]+|agent\/src\/host)\/conformance(?:-[a-z-]+)?\.ts$/.test(path) ||
  /\/testing\.ts$/.test(path);
export const isTestCode = (path: string): boolean =>
  isTest(path) || isForTests(path) || path.startsWith('server/test/');
/** TypeScript that we wrote and that runs somewhere; canaries are wrong on purpose. */
export const isSource = (path: string): boolean => /\.ts$/.test(path) && !isCanary(path);

/** The same, with pages of the console. */
export const isSourceOrPage = (path: string): boolean => isSource(path.replace(/\.tsx$/, '.ts'));

/** Lines of a list file, without blanks and comments. */
export const listLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
