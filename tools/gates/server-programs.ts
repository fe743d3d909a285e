import { existsSync, readdirSync } from 'node:fs';
import { type Gate, runAlone } from '../lib/gate.ts';
import { runProgram } from '../lib/program.ts';

/** What the suites of production adapters start, and which adapters stay unproven without it. */
const needed: readonly { readonly program: string; readonly args: readonly string[]; readonly proves: string }[] = [
  {
    program: 'go',
    args: ['version'],
    proves: 'bus/nats, sagas/temporal, objects/s3, certificates/step-ca and payments/stripe, whose servers it builds',
  },
  { program: 'chromium', args: ['--version'], proves: 'the console, in a real browser' },
  { program: 'mvn', args: ['--version'], proves: 'sign-in at Keycloak, which it fetches and Java runs' },
  { program: 'unzip', args: ['-v'], proves: 'sign-in at Keycloak, which comes as an archive' },
  { program: 'redis-server', args: ['--version'], proves: 'cache/redis' },
];

function hasPostgres(): boolean {
  try {
    return readdirSync('/usr/lib/postgresql').some((version) =>
      readdirSync(`/usr/lib/postgresql/${version}/bin`).includes('initdb'),
    );
  } catch {
    return false;
  }
}

export const serverPrograms: Gate = {
  name: 'server programs',
  remedy:
    'Install what is missing: Go from its site, chromium, redis-server, postgresql, maven, unzip and openssh-server from Debian.',
  fast: false,
  check: async () => {
    const findings: string[] = [];
    for (const { program, args, proves } of needed) {
      const ran = await runProgram(program, args);
      if (ran.code !== 0) findings.push(`${program} is not here; could not run: ${proves}`);
    }
    if (!hasPostgres()) findings.push('there is no PostgreSQL server here; could not run: database/postgres');
    if (!existsSync('/usr/sbin/sshd')) findings.push('sshd is not here; could not run: host/linux');
    return { findings };
  },
};

if (import.meta.main) await runAlone(serverPrograms);
