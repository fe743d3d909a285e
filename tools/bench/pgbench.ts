import { spawn } from 'node:child_process';
import { access, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadCore, pinned } from './pin.ts';
import { cpuSeconds } from './processes.ts';
import { mean } from './statistics.ts';

/** pgbench: the C client that shows what the same server can do when nobody stands before it. */
export interface Pgbench {
  run(script: {
    readonly name: string;
    readonly text: string;
    readonly url: string;
    readonly clients: number;
    readonly seconds: number;
    readonly warmupSeconds: number;
    /** Values that the script names `:like_this`; sent as parameters. */
    readonly variables?: Readonly<Record<string, string | number>>;
    readonly options?: string;
    /** Open loop: this many transactions a second are due, whether or not the last ones are done. */
    readonly rate?: number;
    /** Ends after so many of each client, instead of after a time. */
    readonly transactions?: number;
  }): Promise<PgbenchRun>;
}
export interface PgbenchRun {
  readonly tps: number;
  /** All that were committed, those of the warm-up too. */
  readonly transactions: number;
  readonly failed: number;
  /** CPU seconds of pgbench itself. */
  readonly clientCpuSeconds: number;
  /** Microseconds from the intended start, when a rate was given. */
  readonly latenciesUs: readonly number[];
}

const howToInstall =
  'pgbench is missing. It comes with PostgreSQL: apt-get install postgresql-contrib (Debian, Ubuntu), dnf install postgresql-contrib (Fedora), brew install libpq (macOS).';

async function findPgbench(): Promise<string> {
  const home = '/usr/lib/postgresql';
  const versions = (await readdir(home).catch(() => [])).sort((a, b) => Number(b) - Number(a));
  const places = [
    ...versions.map((version) => join(home, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':').filter(Boolean),
  ];
  for (const place of places) {
    const program = join(place, 'pgbench');
    const there = await access(program).then(
      () => true,
      () => false,
    );
    if (there) return program;
  }
  throw new Error(howToInstall);
}

export async function openPgbench(folder: string): Promise<Pgbench> {
  const program = await findPgbench();
  return {
    async run(script) {
      const address = new URL(script.url);
      const path = join(folder, `${script.name}.sql`);
      await writeFile(path, script.text);
      const logPrefix = join(folder, `pgbench-${script.name}`);
      const args = [
        ...['-n', '-M', 'prepared', '-c', String(script.clients), '-j', '1'],
        ...(script.transactions
          ? ['-t', String(script.transactions)]
          : ['-T', String(script.seconds + script.warmupSeconds), '-P', '1']),
        ...['-f', path],
        ...Object.entries(script.variables ?? {}).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
        ...(script.rate ? ['-R', String(script.rate), '-l', `--log-prefix=${logPrefix}`] : []),
        ...['-h', decodeURIComponent(address.hostname), '-p', address.port, '-U', address.username],
        address.pathname.slice(1),
      ];
      const env = {
        PATH: process.env['PATH'] ?? '',
        PGPASSWORD: decodeURIComponent(address.password),
        ...(script.options ? { PGOPTIONS: script.options } : {}),
      };
      const { output, clientCpuSeconds } = await runPinned(program, args, env);
      const number = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? Number.NaN);
      const perSecond = [...output.matchAll(/^progress: ([\d.]+) s, ([\d.]+) tps/gm)]
        .filter(([, at]) => Number(at) > script.warmupSeconds + 0.5)
        .map(([, , tps]) => Number(tps));
      const transactions = number(/transactions actually processed: (\d+)/);
      const failed = number(/number of failed transactions: (\d+)/);
      if (script.transactions) perSecond.push(number(/^tps = ([\d.]+)/m));
      if (perSecond.length === 0 || Number.isNaN(transactions)) throw new Error(`pgbench failed:\n${output}`);
      const latenciesUs = script.rate ? await readLog(folder, `pgbench-${script.name}`, script.warmupSeconds) : [];
      return { tps: mean(perSecond), transactions, failed, clientCpuSeconds, latenciesUs };
    },
  };
}

async function runPinned(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ output: string; clientCpuSeconds: number }> {
  const [command, ...rest] = pinned(loadCore, [program, ...args]);
  const child = spawn(command, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // A process that has ended has no entry in /proc any more: what it used is asked for while it lives.
  let clientCpuSeconds = 0;
  const watch = setInterval(() => {
    if (child.pid) clientCpuSeconds = Math.max(clientCpuSeconds, cpuSeconds([child.pid]));
  }, 250);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearInterval(watch);
  if (code !== 0) throw new Error(`pgbench ended with ${code}:\n${output}`);
  return { output, clientCpuSeconds };
}

/** The log of single transactions: client, number, microseconds from the intended start, script, second, microsecond. */
async function readLog(folder: string, prefix: string, warmupSeconds: number): Promise<number[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${prefix}.`));
  const lines = (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('').split('\n');
  await Promise.all(names.map((name) => rm(join(folder, name))));
  const rows = lines.filter(Boolean).map((line) => line.split(' ').map(Number));
  const endedAt = (row: number[]) => (row[4] ?? 0) + (row[5] ?? 0) / 1e6;
  const first = rows.reduce((least, row) => Math.min(least, endedAt(row)), Number.POSITIVE_INFINITY);
  return rows.filter((row) => endedAt(row) - first >= warmupSeconds).map((row) => row[2] ?? Number.NaN);
}
