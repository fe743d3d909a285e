import type { RailStep } from './rail.ts';

/** The enrolment progress of a host. */
export interface Joining {
  readonly state: string;
  readonly created_at: string;
  readonly enrolled_at: string | null;
  readonly last_report_at: string | null;
  readonly topology_at: string | null;
  readonly schedulable: boolean;
  readonly updated_at: string;
  readonly resource_slots: readonly { readonly state: string }[];
}

export function makeJoinRail(node: Joining | undefined): RailStep[] {
  const marks: readonly (readonly [string, string, string | null | undefined])[] = [
    ['announced', 'Announced', node?.created_at],
    [
      'enrolled',
      node?.enrolled_at ? 'The host has connected and has a certificate' : 'Waiting for the host to connect',
      node?.enrolled_at,
    ],
    ['reported', 'The host reports', node?.last_report_at],
    ['topology', 'Topology received', node?.topology_at],
    ['approved', 'Slots approved', node && node.resource_slots.length > 0 ? node.topology_at : undefined],
    ['published', 'Slots published', node?.schedulable ? node.updated_at : undefined],
  ];
  const waiting = marks.findIndex(([, , at]) => !at);
  return marks.map(([name, label, at], index) => ({
    name,
    label,
    // Before the host has connected nothing runs: this step waits without a spinner.
    status: at ? 'done' : index === waiting && node?.enrolled_at ? 'running' : 'pending',
    beganAt: index === waiting ? (marks[index - 1]?.[2] ?? undefined) : undefined,
    tookMs: undefined,
  }));
}
