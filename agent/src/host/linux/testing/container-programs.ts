import { readFile, writeFile } from 'node:fs/promises';
import type { Argv, CommandResult } from '../commands.ts';

/**
 * The programs that containers need, on a tree: a podman that keeps containers in memory and runs none of them, and networks and mounts
 * that are names in lists. It makes of an order what podman would, so that the checks before a start have something to look at.
 */
export interface ContainerPrograms {
  /** Answers what is called inside the namespaces of the machine. */
  run(argv: Argv, signal?: AbortSignal): Promise<CommandResult | undefined>;
  /** How an image is fetched; it is there at once, unless a test says otherwise. */
  fetch: (signal: AbortSignal | undefined) => Promise<CommandResult>;
  readonly containers: Map<string, FakeContainer>;
  readonly images: Set<string>;
  readonly links: Set<string>;
  readonly namespaces: Set<string>;
  readonly mounts: Map<string, string>;
  /** What podman says of a container. */
  inspect(name: string): unknown;
  /** The rules that are in the kernel. */
  rules: string;
}
interface FakeContainer {
  readonly options: readonly string[];
  readonly image: string;
  readonly args: readonly string[];
  readonly variables: string;
  status: 'created' | 'running' | 'exited';
}

const done: CommandResult = { status: 0, stdout: '', stderr: '' };
const says = (stdout: string): CommandResult => ({ ...done, stdout });
const refuses = (stderr: string, status = 1): CommandResult => ({ status, stdout: '', stderr });
const imageId = 'f'.repeat(64);
const startedAt = '2026-01-01T00:00:00.123456789Z';
const mebibyte = 1_024 ** 2;

export function makeContainerPrograms(): ContainerPrograms {
  const programs: ContainerPrograms = {
    containers: new Map(),
    images: new Set(),
    links: new Set(),
    namespaces: new Set(),
    mounts: new Map(),
    rules: '',
    fetch: async () => done,
    inspect(name) {
      const found = programs.containers.get(name);
      return found && inspection(found);
    },
    async run(argv, signal) {
      if (argv[0] !== 'nsenter') return undefined;
      const [program = '', ...words] = argv.slice(argv.indexOf('--') + 1);
      if (words.at(-1) === '--version' || words.at(-1) === '-V') return done;
      if (program === 'env') return podman(programs, words.slice(words.indexOf('podman') + 1), signal);
      if (program === 'ip') return ip(programs, words);
      if (program === 'nft') return nft(programs, words);
      return host(programs, program, words);
    },
  };
  return programs;
}

async function podman(
  programs: ContainerPrograms,
  all: readonly string[],
  signal: AbortSignal | undefined,
): Promise<CommandResult> {
  const words = all.slice(all.findIndex((word) => !word.startsWith('--')));
  const [verb = ''] = words;
  const name = words.at(-1) ?? '';
  const found = programs.containers.get(name);
  switch (verb) {
    case 'pull': {
      const fetched = await programs.fetch(signal);
      if (fetched.status === 0) programs.images.add(name.replace('docker://', ''));
      return fetched;
    }
    case 'image':
      if (words[1] === 'prune') programs.images.clear();
      if (words[1] === 'prune') return done;
      return programs.images.has(name)
        ? says(JSON.stringify([{ Id: imageId, RepoDigests: [name] }]))
        : refuses(`Error: inspecting object: ${name}: image not known`, 125);
    case 'create': {
      const end = words.indexOf('--');
      const made = { options: words.slice(1, end), image: words[end + 1] ?? '', args: words.slice(end + 2) };
      const variables = await readFile(value(made.options, 'env-file'), 'utf8');
      programs.containers.set(value(made.options, 'name'), { ...made, variables, status: 'created' });
      return done;
    }
    case 'container':
      return found ? says(JSON.stringify([inspection(found)])) : refuses(`Error: no such container ${name}`, 125);
    case 'start':
      if (!found) return refuses(`Error: no such container ${name}`, 125);
      found.status = 'running';
      await writeFile(
        value(found.options, 'log-opt', 'path='),
        `${startedAt} stdout F one\n${startedAt} stderr P two\n${startedAt} stderr F -halves\n`,
      );
      return done;
    case 'stop':
      if (found) found.status = 'exited';
      return done;
    case 'rm':
      programs.containers.delete(name);
      return done;
    case 'ps': {
      const label = value(words, 'filter', 'label=');
      const own = [...programs.containers].filter(([, { options }]) => options.includes(`--label=${label}`));
      return says(own.map(([of]) => `${of}\n`).join(''));
    }
    default:
      return refuses(`Error: unrecognized command ${verb}`, 125);
  }
}

/** The value of an option that is given as one word. */
const value = (options: readonly string[], name: string, inner = ''): string =>
  options.find((one) => one.startsWith(`--${name}=${inner}`))?.slice(name.length + inner.length + 3) ?? '';
const all = (options: readonly string[], name: string): string[] =>
  options.filter((one) => one.startsWith(`--${name}=`)).map((one) => one.slice(name.length + 3));

function inspection({ options, image, args, variables, status }: FakeContainer): unknown {
  const mib = (name: string) => Number.parseInt(value(options, name), 10) * mebibyte;
  const [path = '', ...rest] = JSON.parse(value(options, 'entrypoint') || '["/bin/init"]') as string[];
  return {
    Id: imageId,
    Image: image,
    Path: path,
    Args: [...rest, ...args],
    State: { Status: status, ExitCode: 0, OOMKilled: false, StartedAt: startedAt, FinishedAt: '0001-01-01T00:00:00Z' },
    EffectiveCaps: options.includes('--cap-drop=all') ? null : ['CAP_CHOWN'],
    BoundingCaps: null,
    Mounts: all(options, 'volume').map((one) => {
      const [Source = '', Destination = '', how = ''] = one.split(':');
      return { Type: 'bind', Source, Destination, RW: how.startsWith('rw') };
    }),
    Config: {
      User: value(options, 'user'),
      Env: variables.split('\n'),
      Labels: Object.fromEntries(all(options, 'label').map((one) => one.split('=') as [string, string])),
    },
    HostConfig: {
      Privileged: false,
      ReadonlyRootfs: options.includes('--read-only'),
      PidsLimit: Number(value(options, 'pids-limit')),
      Memory: mib('memory'),
      MemorySwap: mib('memory-swap'),
      NanoCpus: Math.round(Number(value(options, 'cpus')) * 1_000_000_000),
      ShmSize: mib('shm-size'),
      NetworkMode: value(options, 'network'),
      PidMode: value(options, 'pid'),
      IpcMode: value(options, 'ipc'),
      UTSMode: value(options, 'uts'),
      CgroupMode: value(options, 'cgroupns'),
      UsernsMode: '',
      SecurityOpt: all(options, 'security-opt'),
    },
  };
}

function ip({ links, namespaces }: ContainerPrograms, words: readonly string[]): CommandResult {
  const [what, verb] = words;
  const name = words.at(-1) ?? '';
  if (what === 'netns' && verb === 'list') return says([...namespaces].map((one) => `${one} (id: 0)\n`).join(''));
  if (what === 'netns' && verb === 'add') namespaces.add(name);
  if (what === 'netns' && verb === 'delete') return namespaces.delete(name) ? done : refuses('Cannot remove namespace');
  if (what === 'link' && verb === 'show') return links.has(name) ? done : refuses(`Device "${name}" does not exist.`);
  if (what === 'link' && verb === 'add') links.add(words[3] ?? '');
  if (what === 'link' && verb === 'delete') links.delete(name);
  return done;
}

async function nft(programs: ContainerPrograms, words: readonly string[]): Promise<CommandResult> {
  if (words[0] === '--file') programs.rules = await readFile(words[1] ?? '', 'utf8');
  return words[0] === 'list' ? says(programs.rules) : done;
}

async function host(
  { mounts }: ContainerPrograms,
  program: string,
  words: readonly string[],
): Promise<CommandResult | undefined> {
  const path = words.at(-1) ?? '';
  switch (program) {
    case 'findmnt':
      return mounts.has(path) ? done : refuses('');
    case 'losetup':
      return says([...mounts.values()].includes(path) ? '/dev/loop0\n' : '');
    case 'fallocate':
      await writeFile(path, '');
      return done;
    case 'mount':
      mounts.set(path, words.at(-2) ?? '');
      return done;
    case 'umount':
      mounts.delete(path);
      return done;
    case 'mkfs.ext4':
    case 'sysctl':
      return done;
    default:
      return undefined;
  }
}
