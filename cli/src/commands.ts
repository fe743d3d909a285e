import type { CommandGroup, CommandSpec } from './command.ts';
import { access } from './table/access.ts';
import { appInstances } from './table/app-instances.ts';
import { apps } from './table/apps.ts';
import { billing } from './table/billing.ts';
import { cards } from './table/cards.ts';
import { compute } from './table/compute.ts';
import { documents } from './table/documents.ts';
import { grants } from './table/grants.ts';
import { logs } from './table/logs.ts';
import { metrics } from './table/metrics.ts';
import { notifications } from './table/notifications.ts';
import { catalog } from './table/ops/catalog.ts';
import { finance } from './table/ops/finance.ts';
import { fleet } from './table/ops/fleet.ts';
import { insight } from './table/ops/insight.ts';
import { people } from './table/ops/people.ts';
import { platform } from './table/ops/platform.ts';
import { simulator } from './table/ops/simulator.ts';
import { recordings } from './table/recordings.ts';
import { sshGroup } from './table/ssh.ts';
import { start } from './table/start.ts';
import { storage } from './table/storage.ts';
import { teamwork } from './table/team.ts';
import { terminals } from './table/terminals.ts';
import { tooling } from './table/tooling.ts';

/** Every command as data. Only the code of the called command is loaded, so that help is fast. */
export const groups: readonly CommandGroup[] = [
  start,
  compute,
  appInstances,
  terminals,
  sshGroup,
  grants,
  recordings,
  apps,
  storage,
  metrics,
  logs,
  teamwork,
  notifications,
  access,
  fleet,
  catalog,
  people,
  platform,
  billing,
  cards,
  finance,
  documents,
  insight,
  simulator,
  tooling,
];
export const commands: readonly CommandSpec[] = groups.flatMap((group) => group.commands);

const byName = new Map(commands.map((command) => [command.name, command]));
const mostWords = Math.max(...commands.map(({ name }) => name.split(' ').length));

/** The longest command name at the beginning of the words, and the remaining words. */
export function findCommand(words: readonly string[]): { command: CommandSpec; rest: readonly string[] } | undefined {
  for (let length = Math.min(mostWords, words.length); length > 0; length -= 1) {
    const command = byName.get(words.slice(0, length).join(' '));
    if (command) return { command, rest: words.slice(length) };
  }
  return undefined;
}

/** The commands that begin with these words, for `gpuaas alloc --help`. */
export const commandsBelow = (words: readonly string[]): readonly CommandSpec[] =>
  commands.filter(({ name }) => words.length > 0 && name.startsWith(`${words.join(' ')} `));

/** The two names that are most similar to the typed text. */
export function nearest(typed: string): readonly string[] {
  // With more than half of the letters wrong a suggestion would not help.
  const farthest = Math.max(1, Math.floor(typed.length / 2));
  return commands
    .map(({ name }) => ({ name, far: distance(typed, name), shared: sharedWords(typed, name) }))
    .filter(({ far }) => far <= farthest)
    .sort((a, b) => b.shared - a.shared || a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, 2)
    .map(({ name }) => name);
}

/** The number of common first words: `ops audit list` is closest to a command about audit. */
function sharedWords(a: string, b: string): number {
  const [one, other] = [a.split(' '), b.split(' ')];
  const differs = one.findIndex((word, at) => word !== other[at]);
  return differs < 0 ? one.length : differs;
}

/** Edit distance: letters to add, remove, change or swap. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array.from({ length: b.length }, () => 0)]);
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let j = 0; j <= b.length; j += 1) (rows[0] as number[])[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      const swap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      (rows[i] as number[])[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change, swap);
    }
  }
  return at(a.length, b.length);
}
