import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Sql } from '../../../server/src/kernel/act.ts';

const execute = promisify(execFile);
/** Guards ask for an act; this one exists nowhere. */
const act = '00000000-0000-7000-8000-0000000000ac';

/** Values for the numbers of a statement, as psql text. */
const filled = (text: string, values: readonly string[]): string =>
  text.replaceAll(/\$(\d+)/g, (_, number: string) => values[Number(number) - 1] ?? 'null');

/** Runs a script with psql and answers how many milliseconds passed in it, by the clock of the server. */
async function timed(url: string, body: string): Promise<number> {
  const script = [
    `select extract(epoch from clock_timestamp()) as began \\gset`,
    body,
    `select round((extract(epoch from clock_timestamp()) - :began) * 1000000);`,
  ].join('\n');
  const address = new URL(url);
  const run = execute(
    'psql',
    [
      ...[
        '-X',
        '-A',
        '-t',
        '-q',
        '-v',
        'ON_ERROR_STOP=1',
        '-h',
        decodeURIComponent(address.hostname),
        '-p',
        address.port,
      ],
      ...['-U', address.username, '-d', address.pathname.slice(1), '-f', '-'],
    ],
    { env: { PATH: process.env['PATH'] ?? '', PGPASSWORD: decodeURIComponent(address.password) } },
  );
  run.child.stdin?.end(script);
  const { stdout } = await run;
  return Number(stdout.trim().split('\n').at(-1)) / 1_000;
}

/**
 * The statement of accrual from psql, page by page, each in a transaction of its own. psql opens no act and leaves no audit row, and
 * its login passes row-level security; the guards of the tables find what they ask for in the settings of the session.
 */
export const accrueByPsql = (
  url: string,
  statement: Sql,
  of: { readonly pages: number; readonly page: number; readonly windowSeconds: number },
): Promise<number> => {
  const values = [
    ...[
      String(of.windowSeconds),
      String(of.page),
      '60',
      '900000',
      `'psql'`,
      `'bench'`,
      'statement_timestamp()',
      '2000',
    ],
    `:'more_behind'`,
  ];
  const page = `begin;
select set_config('gpuaas.act', '${act}', true), set_config('gpuaas.audited', '${act}', true),
  set_config('gpuaas.reach', 'platform', true) \\g /dev/null
${filled(statement.text, values)} \\gset
commit;`;
  return timed(url, `\\set more_behind 00000000-0000-0000-0000-000000000000\n${`${page}\n`.repeat(of.pages)}`);
};

/** The least that charging could be: one INSERT of one row for each meter, with the key that a window has. */
const insert = `insert into bench_windows (resource_id, meter, from_at, amount_minor)
  select m.resource_id, m.meter, m.accrued_to, m.rate_micro / 60000000 from usage_meters m
  where m.accrued_to < m.evidence_to and m.requested_by = :'requested_by' on conflict do nothing;`;
export const insertByPsql = (url: string, requestedBy: string): Promise<number> =>
  timed(url, ['\\set requested_by ', requestedBy, '\n', insert].join(''));
