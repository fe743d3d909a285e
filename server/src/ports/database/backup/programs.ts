import { spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * Runs a program of PostgreSQL against a database. The password travels in the environment: everybody on the machine may read
 * the arguments of a process.
 */
export async function runPostgresProgram(
  program: 'pg_dump' | 'pg_restore',
  args: readonly string[],
  to: { readonly url: string; readonly database: string; readonly folder: string | undefined },
): Promise<string> {
  const url = new URL(to.url);
  const host = url.hostname || url.searchParams.get('host') || '';
  const env: Record<string, string> = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    PGDATABASE: to.database,
    ...(host !== '' && { PGHOST: decodeURIComponent(host) }),
    ...(url.port !== '' && { PGPORT: url.port }),
    ...(url.username !== '' && { PGUSER: decodeURIComponent(url.username) }),
    ...(url.password !== '' && { PGPASSWORD: decodeURIComponent(url.password) }),
    ...Object.fromEntries(
      [...url.searchParams].flatMap(([name, value]) => (name === 'sslmode' ? [['PGSSLMODE', value]] : [])),
    ),
  };
  const command = to.folder === undefined ? program : join(to.folder, program);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let complaint = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-4_000);
    });
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new Error(
              `${command} is not here. Install the client programs of PostgreSQL (postgresql-client), or name their folder in GPUAAS_POSTGRES_PROGRAMS.`,
            )
          : error,
      ),
    );
    child.once('close', (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`${program} ended with ${code}: ${complaint.trim()}`));
    });
  });
}
