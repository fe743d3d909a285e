import { type Gate, runAlone, type Verdict } from '../lib/gate.ts';
import { type Ran, runProgram } from '../lib/program.ts';

interface AuditReport {
  readonly error?: { readonly summary?: string };
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
}

/**
 * A registry need not offer advisories. Then there is nothing to judge by, and that is said aloud in the line of this
 * gate; advisories that were read and are high or critical fail the build. A public CI reaches a registry that has them, so
 * there unread advisories fail as well.
 */
export function judgeAudit(ran: Ran, mustRead: boolean): Verdict {
  const unread = (why: string): Verdict =>
    mustRead
      ? {
          findings: [
            `the advisories could not be read: ${why}; run it again, or point npm at a registry that has them`,
          ],
        }
      : { findings: [], note: `NOT CHECKED: ${why}` };
  let report: AuditReport;
  try {
    report = JSON.parse(ran.stdout) as AuditReport;
  } catch {
    return ran.code === 127 ? { findings: [ran.output] } : unread('npm gave no report');
  }
  if (report.vulnerabilities === undefined) {
    const why = (report.error?.summary || report.message || 'it offers no advisories').split('\n')[0]?.slice(0, 80);
    return unread(`the registry did not answer (${why})`);
  }
  const found = Object.entries(report.vulnerabilities);
  const grave = found.filter(([, { severity }]) => severity === 'high' || severity === 'critical');
  return {
    findings: grave.map(([name, { severity, range }]) => `${name} ${range}: ${severity}`),
    note: `${found.length} advisories below high`,
  };
}

export const vulnerabilities: Gate = {
  name: 'known vulnerabilities',
  remedy: '`npm audit` says more. Move to a release without it.',
  fast: false,
  check: async () =>
    judgeAudit(
      await runProgram('npm', ['audit', '--json', '--audit-level=high'], { timeoutMs: 120_000 }),
      process.env['GITHUB_ACTIONS'] === 'true',
    ),
};

if (import.meta.main) await runAlone(vulnerabilities);
