import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from '../lib/program.ts';
import { makeTree, root } from '../lib/tree.ts';
import type { Law } from './law.ts';

/**
 * A canary is a small tree that breaks one rule, and its twin that does not. The broken file opens with the report it
 * must get: a linter that was never seen failing is not a linter.
 *
 *   tools/laws/canaries/<name>/broken/server/src/...   "// reported as <rule>: <part of the message>"
 *   tools/laws/canaries/<name>/whole/server/src/...    the same file without the mistake
 */
export interface Canary {
  readonly name: string;
  readonly rule: string;
  readonly message: string;
  readonly folder: string;
}
export interface Report {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

const home = join(root, 'tools/laws/canaries');

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();

export function readCanaries(): Canary[] {
  return readdirSync(home)
    .sort()
    .map((name) => {
      const folder = join(home, name);
      const claims = filesUnder(join(folder, 'broken')).flatMap((path) => {
        const first = readFileSync(join(folder, 'broken', path), 'utf8').split('\n')[0] ?? '';
        const claim = /^\/\/ reported as (\S+): (.+)$/.exec(first);
        return claim ? [{ rule: claim[1] ?? '', message: claim[2] ?? '' }] : [];
      });
      if (claims.length !== 1 || !claims[0]) throw new Error(`the canary ${name} must say once what it is reported as`);
      return { name, folder, ...claims[0] };
    });
}

/** Everything that any rule says about the canaries, with our own configuration; paths begin with the canary's name. */
export async function reportsOnCanaries(laws: readonly Law[]): Promise<Report[]> {
  const stage = mkdtempSync(join(tmpdir(), 'gpuaas-canary-'));
  try {
    cpSync(home, stage, { recursive: true });
    for (const name of ['biome.jsonc', '.oxlintrc.json', 'tools/laws/plugins']) {
      cpSync(join(root, name), join(stage, name), { recursive: true });
    }
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
      readonly compilerOptions: object;
    };
    // Packages are not there: a canary is about our own words, and linters that follow links find too much.
    const tsconfig = { compilerOptions: { ...compilerOptions, types: [] }, include: ['**/*.ts'] };
    writeFileSync(join(stage, 'tsconfig.json'), JSON.stringify(tsconfig));
    return [...lawReports(laws), ...(await biomeReports(stage)), ...(await oxlintReports(stage))];
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Our own laws see each canary as if it were the whole repository. */
function lawReports(laws: readonly Law[]): Report[] {
  return readCanaries().flatMap(({ name, folder }) =>
    ['broken', 'whole'].flatMap((half) => {
      const files = filesUnder(join(folder, half));
      const tree = makeTree(
        Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, half, path), 'utf8')])),
      );
      return laws
        .flatMap((law) => law.find(tree))
        .map(({ path, law, message }) => ({ path: join(name, half, path), rule: law, message }));
    }),
  );
}

async function biomeReports(stage: string): Promise<Report[]> {
  const ran = await runTool(
    'biome',
    ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', '.'],
    {
      cwd: stage,
    },
  );
  const { diagnostics } = JSON.parse(ran.stdout) as {
    readonly diagnostics: readonly {
      readonly category: string;
      readonly message: string;
      readonly location?: { readonly path?: string | { readonly file?: string } };
    }[];
  };
  return diagnostics.map(({ category, message, location }) => {
    const path = typeof location?.path === 'string' ? location.path : (location?.path?.file ?? '');
    return { path, rule: category, message };
  });
}

async function oxlintReports(stage: string): Promise<Report[]> {
  const ran = await runTool('oxlint', ['--type-aware', '--format=json', '.'], { cwd: stage });
  const { diagnostics } = JSON.parse(ran.stdout) as {
    readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly filename: string }[];
  };
  return diagnostics.map(({ code, message, filename }) => ({ path: filename, rule: code, message }));
}
