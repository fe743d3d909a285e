import type { Gpuaas } from '@gpuaas/sdk';
import type { Run, Session } from '../../command.ts';
import { exitCodes } from '../../failure.ts';
import { showRows } from '../../show/output.ts';
import { readVersion } from '../../version.ts';

/** A finding: the api names the runbook of its own, a signal leads to that of the others. */
interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'bad' | 'unknown';
  readonly message: string;
  readonly signal: string;
  readonly runbook?: string | null;
}
interface Look {
  readonly check: string;
  readonly signal: string;
  readonly find: (api: Gpuaas, session: Session) => Promise<readonly Finding[]>;
}

/** A token and a signature bear a few seconds; from a minute on they begin to fail. */
const clock = { warnMs: 5_000, badMs: 60_000 } as const;

/** One finding of a number that should be zero. */
const zero = (
  look: Pick<Look, 'check' | 'signal'>,
  count: number,
  status: 'warn' | 'bad',
  message: string,
): Finding[] => [
  {
    ...look,
    status: count === 0 ? 'ok' : status,
    message: count === 0 ? 'Nothing was found.' : `${count}: ${message}`,
  },
];

const health: Look = {
  check: 'health',
  signal: 'ProcessDown',
  find: async (api, session) => {
    const before = session.now();
    const found = await api.adminOps.platformHealthGet();
    // The answer was made between the question and now; whatever lies outside of that is the clock.
    const theirs = Date.parse(found.checked_at);
    const offMs = Math.max(0, before - theirs, theirs - session.now());
    const ours = readVersion();
    return [
      ...found.findings.map(({ name, status, message, runbook }) => ({
        ...{ check: name, status, message, signal: name, runbook },
      })),
      {
        check: 'clock_here',
        status: offMs >= clock.badMs ? 'bad' : offMs >= clock.warnMs ? 'warn' : 'ok',
        message: `The clock of this machine is ${Math.round(offMs / 1_000)} s from that of the api.`,
        signal: 'clock_skew',
      },
      {
        check: 'versions',
        status: found.version === ours ? 'ok' : 'warn',
        message: `The installation is ${found.version}, this command line is ${ours}.`,
        signal: 'cli_version',
      },
    ];
  },
};

const workflows: Look = {
  check: 'stuck_workflows',
  signal: 'stuck_workflows',
  find: async (api) =>
    zero(
      workflows,
      (await api.adminWorkflows.list({ state: 'stuck' })).data.length,
      'bad',
      'they wait for an operator.',
    ),
};
const allocations: Look = {
  check: 'stuck_allocations',
  signal: 'AllocationsStuck',
  find: async (api) =>
    zero(allocations, (await api.adminAllocations.stuckList()).data.length, 'warn', 'they take longer than usual.'),
};
const drift: Look = {
  check: 'drift',
  signal: 'alert:drift',
  find: async (api) => {
    const { data } = await api.adminAlerts.list({ source: 'drift' });
    return zero(drift, data.length, 'warn', 'hosts hold something else than the rows say.');
  },
};
const breakers: Look = {
  check: 'breakers',
  signal: 'BreakerTripped',
  find: async (api) => {
    const { data } = await api.adminAlerts.breakerList({ tripped: 'true' });
    return zero(breakers, data.length, 'bad', 'automation is stopped for these pools.');
  },
};
const maas: Look = {
  check: 'maas_sites',
  signal: 'MaasSiteAway',
  find: async (api) => {
    const { data } = await api.adminMaas.siteList();
    return zero(maas, data.filter(({ problem }) => problem !== null).length, 'warn', 'MAAS sites do not answer.');
  },
};
const sealing: Look = {
  check: 'sealing_keys',
  signal: 'sealing_keys',
  find: async (api) => {
    const { data } = await api.adminOps.secretsGet();
    const missing = data.filter(({ state, values }) => state === 'missing' && values > 0).length;
    return zero(sealing, missing, 'bad', 'keys are missing that values were sealed with.');
  },
};
const history: Look = {
  check: 'history',
  signal: 'HistoryWithoutMonth',
  find: async (api) => {
    const { data } = await api.adminOps.historyGet();
    const unplaced = data.reduce((sum, { unplaced_rows: rows }) => sum + rows, 0);
    return zero(history, unplaced, 'warn', 'rows of the last day came without a month of their own.');
  },
};
const looks: readonly Look[] = [health, workflows, allocations, drift, breakers, maas, sealing, history];

/** What could not be looked at is no finding that is in order: it is named, with the reason. */
async function lookAt(look: Look, api: Gpuaas, session: Session): Promise<readonly Finding[]> {
  try {
    return await look.find(api, session);
  } catch (error) {
    const message = `It could not be looked at: ${error instanceof Error ? error.message : String(error)}`;
    return [{ check: look.check, signal: look.signal, status: 'unknown', message }];
  }
}

/** Everything that an operator would look at first, in one table, worst first. */
export const doctor: Run = async (session) => {
  const api = await session.api();
  const { data: runbooks } = await api.adminOps.runbookList();
  const runbookOf = (signal: string): string | null =>
    runbooks.find(({ signals }) => signals.includes(signal))?.id ?? null;
  const findings = (await Promise.all(looks.map((look) => lookAt(look, api, session)))).flat();
  const worst = ['bad', 'unknown', 'warn', 'ok'] as const;
  const rows = worst
    .flatMap((status) => findings.filter((finding) => finding.status === status))
    .filter(({ status }) => session.is('all') || status !== 'ok')
    .map(({ check, status, message, signal, runbook = runbookOf(signal) }) => ({
      ...{ check, status, message },
      runbook: status === 'ok' ? null : runbook,
    }));
  showRows(session, rows, ['status', 'check', 'message', 'runbook'], `All ${findings.length} checks are in order.`);
  if (rows.some(({ runbook }) => runbook !== null)) session.say('gpuaas ops runbook show RUNBOOK says what to do.');
  const failing = session.is('strict') ? ['bad', 'unknown', 'warn'] : ['bad', 'unknown'];
  return findings.some(({ status }) => failing.includes(status)) ? exitCodes.failed : exitCodes.ok;
};
