import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signIn } from './sign-in.ts';
import { publicKey } from './ssh-key.ts';

/**
 * Types what the docs say. A block of a page that is marked `sh test` or `python test` is run in a folder that the whole
 * page shares, as the person that the mark names, with `gpuaas` on the path; what one block sets is there in the next. A
 * block `text shown` behind it says what has to have been printed.
 */
export interface Snippet {
  readonly language: 'sh' | 'python';
  readonly who: string;
  readonly isBackground: boolean;
  readonly text: string;
  readonly line: number;
  /** Lines that have to be printed in this order; `…` stands for anything. */
  readonly shown: readonly string[];
}

export function snippetsIn(page: string): Snippet[] {
  const blocks = [...page.matchAll(/^( *)```(\w+) (.*)\n([\s\S]*?)^ *```$/gm)];
  return blocks.flatMap(([, indent = '', language = '', marks = '', text = ''], index): Snippet[] => {
    const [mark, ...words] = marks.trim().split(/\s+/);
    if (mark !== 'test' || (language !== 'sh' && language !== 'python')) return [];
    const [, , nextLanguage, nextMarks, shown = ''] = blocks[index + 1] ?? [];
    const isShown = nextLanguage === 'text' && nextMarks === 'shown';
    return [
      {
        language,
        who: words.find((word) => word !== 'background') ?? 'member',
        isBackground: words.includes('background'),
        text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
        line: page.slice(0, blocks[index]?.index).split('\n').length,
        shown: isShown ? shown.split('\n').filter((line) => line.trim() !== '') : [],
      },
    ];
  });
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The first line that was promised and not printed behind the ones before it. */
export function missingIn(printed: string, shown: readonly string[]): string | undefined {
  const lines = printed.split('\n');
  let at = 0;
  return shown.find((wanted) => {
    const parts = wanted
      .trim()
      .split(/\s*…\s*/)
      .map((part) => part.split(/\s+/).map(literally).join('\\s+'));
    const pattern = new RegExp(`^\\s*${parts.join('.*')}\\s*$`);
    const found = lines.findIndex((line, index) => index >= at && pattern.test(line));
    at = found + 1;
    return found < 0;
  });
}

export interface Typist {
  /** Types a page from top to bottom; answers what went wrong, with the line of the page. */
  typePage(name: string, snippets: readonly Snippet[]): Promise<string[]>;
  close(): Promise<void>;
}

const root = join(import.meta.dirname, '../../../..');
/** `gpuaas app test` waits for reports of a minute, on machines that are busy. */
const withinMs = 280_000;

export async function openTypist(spec: {
  readonly folder: string;
  readonly url: string;
  readonly password: string;
  readonly logins: readonly string[];
  /** A Python that has what the SDK needs; without it no page may ask for one. */
  readonly python?: string;
}): Promise<Typist> {
  const { folder, url, password } = spec;
  const running = new Set<ChildProcess>();
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'gpuaas'), `#!/bin/sh\nexec "${process.execPath}" "${root}/cli/bin/gpuaas.cjs" "$@"\n`);
  // Readers are in the folder of the repository and have its Node; here neither is taken for granted.
  await writeFile(
    join(bin, 'npx'),
    `#!/bin/sh\n[ "$1" = node ] && shift\ncd "${root}" && exec "${process.execPath}" "$@"\n`,
  );
  await writeFile(join(bin, 'node'), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
  for (const name of ['gpuaas', 'npx', 'node']) await chmod(join(bin, name), 0o755);
  const tokens = new Map<string, string>();
  for (const login of spec.logins) tokens.set(login, (await signIn(url, { login, password })).access_token);
  const homeOf = (who: string) => join(folder, 'home', who);

  const surroundings = (who: string) => ({
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    HOME: homeOf(who),
    GPUAAS_BASE_URL: url,
    NO_COLOR: '1',
  });
  async function type(
    command: readonly [string, ...string[]],
    who: string,
    cwd: string,
    env: Record<string, string> = {},
  ) {
    const [program, ...args] = command;
    const child = spawn(program, args, {
      cwd,
      env: { ...surroundings(who), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    running.add(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
    }
    const limit = setTimeout(() => stop(child), withinMs);
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    clearTimeout(limit);
    running.delete(child);
    return { code, printed };
  }

  for (const [login, token] of tokens) {
    await mkdir(join(homeOf(login), '.ssh'), { recursive: true });
    await writeFile(join(homeOf(login), '.ssh', 'id_ed25519.pub'), `${publicKey()} ${login}@laptop\n`);
    await writeFile(join(homeOf(login), 'token'), token, { mode: 0o600 });
    const { code, printed } = await type(
      ['sh', '-c', 'gpuaas login --token - < ~/token && { gpuaas project use playground || true; }'],
      login,
      folder,
    );
    if (code !== 0) throw new Error(`${login} could not sign in: ${printed}`);
  }

  return {
    async typePage(name, snippets) {
      const cwd = join(folder, 'pages', name.replaceAll(/\W+/g, '-'));
      await mkdir(cwd, { recursive: true });
      const began = new Set<ChildProcess>();
      const troubles: string[] = [];
      for (const snippet of snippets) {
        const where = `${name}:${snippet.line}`;
        if (!tokens.has(snippet.who)) throw new Error(`${where}: nobody here is called ${snippet.who}`);
        // What a block exports or sets is kept in a file for the next, without what belongs to the person.
        const script = `[ -f vars.sh ] && . ./vars.sh; set -a\n${snippet.text}\nset +a\nexport -p | grep -vE '^declare -x (HOME|PATH|PWD|OLDPWD|SHLVL|GPUAAS_BASE_URL)(=|$)' > vars.sh`;
        const command: [string, ...string[]] =
          snippet.language === 'sh'
            ? ['bash', '-e', '-o', 'pipefail', '-c', snippet.isBackground ? `. ./vars.sh; ${snippet.text}` : script]
            : [spec.python ?? 'python3', '-c', snippet.text];
        const env: Record<string, string> =
          snippet.language === 'sh'
            ? {}
            : {
                PYTHONPATH: join(root, 'sdk/python/src'),
                PYTHONDONTWRITEBYTECODE: '1',
                ...(await forPrograms(snippet.who)),
              };
        if (snippet.isBackground) {
          const before = new Set(running);
          // It is stopped when the page ends; how it ends then says nothing.
          type(command, snippet.who, cwd, env).catch(() => undefined);
          for (const child of running) if (!before.has(child)) began.add(child);
          continue;
        }
        const { code, printed } = await type(command, snippet.who, cwd, env);
        const missing = missingIn(printed, snippet.shown);
        if (code !== 0) troubles.push(`${where} ended with ${code}:\n${snippet.text}\n${printed}`);
        else if (missing !== undefined) troubles.push(`${where} did not print "${missing}":\n${printed}`);
        if (troubles.length > 0) break;
      }
      for (const child of began) stop(child);
      return troubles;
    },
    async close() {
      const ended = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
      for (const child of running) stop(child);
      await Promise.all(ended);
    },
  };

  /** What a program finds in its environment instead of a sign-in. */
  async function forPrograms(who: string): Promise<Record<string, string>> {
    const { printed } = await type(['gpuaas', 'project', 'list', '-o', 'json'], who, folder);
    const [project] = JSON.parse(printed) as { id: string; slug: string }[];
    return { GPUAAS_TOKEN: tokens.get(who) ?? '', GPUAAS_PROJECT: project?.id ?? '' };
  }
}

/** A block may have started others; they end with it. */
function stop(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

export const readPage = (path: string): Promise<string> => readFile(join(root, path), 'utf8');
