import type { Settings } from '../options.ts';
import { agentSettings } from '../parts.ts';
import { agentChecks } from './agent-checks.ts';
import { type Finding, isWell, missing, ok, printFindings, runChecks } from './finding.ts';
import { hostChecks, type Machine } from './host-checks.ts';

/**
 * Looks for what would keep the agent from working and the host from being let, and says for each thing the command that
 * mends it. It changes nothing. A host without settings is looked at all the same: that is when it is asked for most.
 */
export async function examine(order: {
  readonly settings: () => Settings;
  readonly version: string;
  readonly machine: Machine;
}): Promise<Examination> {
  let settings: Settings | undefined;
  const findings = await runChecks([
    {
      ...{ check: 'settings', title: 'settings', needed_for: 'agent' },
      async run() {
        try {
          settings = order.settings();
          return ok(settings.GPUAAS_API_URL);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          return missing(why, 'paste the line of: gpuaas ops node enrol NODE');
        }
      },
    },
  ]);
  if (settings) findings.push(...(await runChecks(agentChecks(agentSettings(settings, order.version)))));
  // What this machine has does not matter to one that does not exist.
  if (settings?.GPUAAS_HOST !== 'simulated') findings.push(...(await runChecks(await hostChecks(order.machine))));
  const makesSlices = settings?.GPUAAS_SLICE_DISKS !== undefined;
  return { findings, makesSlices, isWell: isWell(findings, makesSlices) };
}

export interface Examination {
  readonly findings: readonly Finding[];
  /** Whether this host is meant to make slices, by its settings. */
  readonly makesSlices: boolean;
  readonly isWell: boolean;
}

export const showExamination = (
  { findings, makesSlices, isWell: well }: Examination,
  format: 'text' | 'json',
): string =>
  format === 'json'
    ? `${JSON.stringify({ well, makes_slices: makesSlices, findings }, null, 2)}\n`
    : printFindings(findings, makesSlices);
