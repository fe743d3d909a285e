import { definePolicy, onOff, whole } from '../policy.ts';

/** What operators may turn about terminals. */
export const terminalPolicies = [
  whole(
    'terminal.session_max_ttl_seconds',
    { default: 14_400, minimum: 60, maximum: 86_400, unit: 'seconds' },
    'terminal',
    'The longest life of one terminal session. The gateway and the agent enforce it.',
  ),
  whole(
    'terminal.opening_seconds',
    { default: 360, minimum: 60, maximum: 3_600, unit: 'seconds' },
    'terminal',
    'A terminal session whose shell did not come within this time is ended.',
  ),
  whole(
    'terminal.idle_seconds',
    { default: 0, minimum: 0, maximum: 86_400, unit: 'seconds' },
    'terminal',
    'A shell into which nothing was typed for this long is ended by its agent. 0: never.',
  ),
  whole(
    'terminal.reconnect_grace_seconds',
    { default: 300, minimum: 0, maximum: 86_400, unit: 'seconds' },
    'terminal',
    'How long a shell lives on while its agent reaches no gateway.',
  ),
  whole(
    'terminal.sessions_per_allocation',
    { default: 8, minimum: 1, maximum: 256, unit: 'sessions' },
    'terminal',
    'Terminal sessions that one allocation may have at the same time.',
  ),
  whole(
    'terminal.sessions_per_user',
    { default: 16, minimum: 1, maximum: 1_000, unit: 'sessions' },
    'terminal',
    'Terminal sessions that one person may have at the same time, in all allocations of an organization.',
  ),
  whole(
    'terminal.forward_lowest_port',
    { default: 1_024, minimum: 1, maximum: 65_535, unit: 'port' },
    'terminal',
    'The lowest port of a machine that people may forward to through the gateway.',
  ),
  whole(
    'terminal.forward_highest_port',
    { default: 65_535, minimum: 0, maximum: 65_535, unit: 'port' },
    'terminal',
    'The highest port of a machine that people may forward to through the gateway. 0: none.',
  ),
  definePolicy({
    key: 'terminal.recording',
    type: 'choice',
    default: 'off',
    choices: ['off', 'metadata', 'output'],
    owner: 'terminal',
    description:
      'What is recorded of new terminal sessions. output: everything that the shell prints; such a session does not run without its recording.',
  }),
  onOff(
    'terminal.recording_input',
    false,
    'terminal',
    'Whether recordings hold what was typed, too. Passwords that a program hides are then in the recording.',
  ),
  whole(
    'terminal.recording_max_mib',
    { default: 256, minimum: 1, maximum: 16_384, unit: 'MiB' },
    'terminal',
    'The largest recording. A session whose recording is full is ended.',
  ),
  whole(
    'terminal.recording_retention_days',
    { default: 90, minimum: 1, maximum: 3_650, unit: 'days' },
    'terminal',
    'How long a recording is kept after its session. The digests of its chunks stay.',
  ),
  whole(
    'terminal.recorder_patience_seconds',
    { default: 20, minimum: 1, maximum: 600, unit: 'seconds' },
    'terminal',
    'A recorded session whose output could not be stored for this long is ended.',
  ),
] as const;
