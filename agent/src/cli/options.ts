import { existsSync, readFileSync } from 'node:fs';
import { parseArgs, parseEnv } from 'node:util';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** Where things are unless the settings say otherwise. */
export const usualFolders = { stateDir: '/var/lib/gpuaas/agent', logDir: '/var/log/gpuaas' };

/** The settings of an agent, from the environment or from the file that systemd reads. */
export const Settings = Type.Object({
  GPUAAS_API_URL: Type.String({
    pattern: '^https://[^/?#@]+/?$',
    description: 'The node hostname and port of the control plane. The agent calls nothing else.',
  }),
  GPUAAS_CA_BUNDLE_PATH: Type.Optional(
    Type.String({ description: 'Who may be the control plane: PEM. Without it the pinned authority is kept.' }),
  ),
  GPUAAS_NODE_CERT_CA_BUNDLE_PATH: Type.Optional(
    Type.String({ description: 'Who may name nodes: PEM. Never merged with the file above.' }),
  ),
  GPUAAS_PEER_ID: Type.Optional(
    Type.String({
      pattern: '^spiffe://',
      description: 'The SPIFFE id that the control plane must show, if it has one.',
    }),
  ),
  GPUAAS_STATE_DIR: Type.String({ default: usualFolders.stateDir, description: 'Everything the agent remembers.' }),
  GPUAAS_LOG_DIR: Type.String({ default: usualFolders.logDir, description: 'Logs and samples, bounded.' }),
  GPUAAS_LOG_LEVEL: Type.Enum(['debug', 'info', 'warn', 'error'], {
    default: 'info',
    description: 'How much is said.',
  }),
  GPUAAS_LOG_MIB: Type.Integer({ default: 64, minimum: 1, maximum: 4096, description: 'Room for each kind of file.' }),
  GPUAAS_ENROLMENT_TOKEN: Type.Optional(
    Type.String({ minLength: 20, description: 'A one-time token, for hosts that enrol when they boot.' }),
  ),
  GPUAAS_CA_FINGERPRINT: Type.Optional(
    Type.String({ description: 'SHA-256 of the authority that the control plane must lead to while enrolling.' }),
  ),
  GPUAAS_HOST: Type.Enum(['linux', 'simulated'], {
    default: 'linux',
    description: 'This machine, or one that does not exist.',
  }),
  GPUAAS_SSH_ADDRESS: Type.Optional(
    Type.String({
      pattern: '^[0-9A-Za-z][0-9A-Za-z.:-]{0,99}$',
      description: 'Where people reach sshd of this host. Without it, the first address that others can reach.',
    }),
  ),
  GPUAAS_SSH_PORT: Type.Integer({ default: 22, minimum: 1, maximum: 65_535, description: 'The port of sshd.' }),
  GPUAAS_SLICE_DISKS: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_.-]{1,64}(?:,[A-Za-z0-9_.-]{1,64}){0,63}$',
      description:
        'Serial numbers of the disks that slices may overwrite, with commas. Without it the host is rented out whole and no disk is written.',
    }),
  ),
  GPUAAS_SLICE_NETWORK: Type.String({
    default: '10.100.0.0/24',
    pattern: '^(?:\\d{1,3}\\.){3}0/24$',
    description: 'The private network of the slices on this host.',
  }),
  GPUAAS_SLICE_BLOCKED_RANGES: Type.Optional(
    Type.String({
      pattern: '^(?:\\d{1,3}\\.){3}\\d{1,3}/\\d{1,2}(?:,(?:\\d{1,3}\\.){3}\\d{1,3}/\\d{1,2}){0,99}$',
      description: 'Networks that slices may not reach, with commas. Private networks and metadata services never are.',
    }),
  ),
  GPUAAS_SLICE_NAME_SERVERS: Type.Optional(
    Type.String({
      pattern: '^(?:\\d{1,3}\\.){3}\\d{1,3}(?:,(?:\\d{1,3}\\.){3}\\d{1,3}){0,3}$',
      description: 'Name servers that DHCP gives to slices, with commas.',
    }),
  ),
  GPUAAS_SLICE_IMAGES_GIB: Type.Integer({
    default: 200,
    minimum: 1,
    maximum: 65_536,
    description: 'Room for the images of slices.',
  }),
  GPUAAS_SLICE_HUGE_PAGES: Type.Boolean({
    default: false,
    description: 'Whether the memory of slices comes from huge pages that you have set aside.',
  }),
  GPUAAS_SLICE_DRIVER_PACKAGES: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9.+_-]{0,99}(?:,[a-z0-9][a-z0-9.+_-]{0,99}){0,31}$',
      description:
        'Packages of the GPU driver, with commas, that a slice installs at its first boot when its image brings no driver.',
    }),
  ),
  GPUAAS_OCI_REGISTRIES: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{0,252}(?::[0-9]{1,5})?(?:,[a-z0-9][a-z0-9.-]{0,252}(?::[0-9]{1,5})?){0,31}$',
      description:
        'Registries that images of containers may come from, with commas. Without it the host runs no containers.',
    }),
  ),
  GPUAAS_OCI_AUTH_FILE: Type.Optional(
    Type.String({
      pattern: '^/[A-Za-z0-9_./-]{1,200}$',
      description: 'Logins at these registries, as `podman login --authfile` writes them. Mode 0600, owned by root.',
    }),
  ),
  GPUAAS_OCI_CERTIFICATES: Type.Optional(
    Type.String({
      pattern: '^/[A-Za-z0-9_./-]{1,200}$',
      description: 'A folder with ca.crt of the registries, where the system does not trust their authority.',
    }),
  ),
  GPUAAS_OCI_NETWORK: Type.String({
    default: '10.101.0.0/16',
    pattern: '^(?:\\d{1,3}\\.){2}0\\.0/16$',
    description: 'The private networks of containers on this host.',
  }),
  GPUAAS_OCI_BLOCKED_RANGES: Type.Optional(
    Type.String({
      pattern: '^(?:\\d{1,3}\\.){3}\\d{1,3}/\\d{1,2}(?:,(?:\\d{1,3}\\.){3}\\d{1,3}/\\d{1,2}){0,99}$',
      description:
        'Networks that containers may not reach, with commas. Private networks and metadata services never are.',
    }),
  ),
  GPUAAS_OCI_NAME_SERVERS: Type.Optional(
    Type.String({
      pattern: '^(?:\\d{1,3}\\.){3}\\d{1,3}(?:,(?:\\d{1,3}\\.){3}\\d{1,3}){0,2}$',
      description: 'Name servers of containers that may reach the internet, with commas.',
    }),
  ),
  GPUAAS_OCI_RUNTIME: Type.Enum(['crun', 'runc'], {
    default: 'crun',
    description: 'What starts containers. crun needs control groups of the second version.',
  }),
  GPUAAS_AGENT_BUNDLE_PATH: Type.String({
    default: '/internal/v1/nodes/{id}/releases/{digest}',
    description: 'Where the control plane keeps releases of the agent.',
  }),
  GPUAAS_UPDATE_HEALTHY_SECONDS: Type.Integer({
    default: 120,
    minimum: 1,
    maximum: 3600,
    description: 'How long a new release may take until its first heartbeat is answered.',
  }),
});
export type Settings = Static<typeof Settings>;

export const commands = {
  enrol: 'make this host a node, or give a node whose certificate ran out a new one',
  prepare: 'tell sshd where the keys of tenants are; a host takes no tenants before',
  run: 'run the agent in the foreground',
  supervise: 'run the agent, start it again when it ends, and undo updates that do not work',
  status: 'say what this node is and holds, from its files',
  doctor: 'look for what this host lacks, and say the command that mends each thing',
  uninstall: 'take the agent and everything that it made off this host',
} as const;
export type Command = keyof typeof commands;

export const envFile = '/etc/gpuaas/node-agent.env';

export class UsageFault extends Error {}

export interface Invocation {
  readonly command: Command | 'help' | 'version';
  readonly settings: () => Settings;
  readonly token: string | undefined;
  readonly caFingerprint: string | undefined;
  /** The doctor says what the machine is made of, and nothing else. */
  readonly wantsTopology: boolean;
  readonly output: 'text' | 'json';
  /** Uninstall: also while a tenant has this host. */
  readonly isForced: boolean;
  /** Uninstall: say what would be removed, and remove nothing. */
  readonly isDry: boolean;
}

export function readInvocation(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Invocation {
  const { values, positionals } = parse(args);
  const [word, ...rest] = positionals;
  if (rest.length > 0) throw new UsageFault(`what is ${rest[0]}? One command at a time.`);
  const isCommand = word !== undefined && Object.hasOwn(commands, word);
  if (word !== undefined && !isCommand) throw new UsageFault(`there is no command ${word}`);
  const command = values.help || (!word && !values.version) ? 'help' : values.version ? 'version' : (word as Command);
  return {
    command,
    token: values.token,
    caFingerprint: values['ca-fingerprint'],
    wantsTopology: values.topology === true,
    output: readOutput(values.output),
    isForced: values.force === true,
    isDry: values['dry-run'] === true,
    settings: () =>
      readSettings({ ...fileEnv(values['env-file']), ...env, ...(values.url && { GPUAAS_API_URL: values.url }) }),
  };
}

function readOutput(word: string | undefined): 'text' | 'json' {
  if (word === undefined || word === 'text' || word === 'json') return word ?? 'text';
  throw new UsageFault(`there is no output ${word}; use -o text or -o json`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
        'env-file': { type: 'string' },
        url: { type: 'string' },
        token: { type: 'string' },
        'ca-fingerprint': { type: 'string' },
        topology: { type: 'boolean' },
        output: { type: 'string', short: 'o' },
        force: { type: 'boolean' },
        'dry-run': { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageFault(error instanceof Error ? error.message : String(error));
  }
}

function fileEnv(path: string | undefined): Record<string, string | undefined> {
  // The usual file may be missing; one that was named may not.
  if (path === undefined && !existsSync(envFile)) return {};
  try {
    return parseEnv(readFileSync(path ?? envFile, 'utf8')) as Record<string, string | undefined>;
  } catch (error) {
    throw new UsageFault(
      `${path ?? envFile} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(
    Object.keys(Settings.properties).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const value = Value.Convert(Settings, Value.Default(Settings, given));
  if (Value.Check(Settings, value)) return value;
  const faults = Value.Errors(Settings, value).map(
    ({ instancePath, message }) => `${instancePath.slice(1) || 'the settings'} ${message}`,
  );
  throw new UsageFault(`the settings are not right: ${faults.join('; ')}`);
}

export function helpText(): string {
  const widest = Math.max(...Object.keys(commands).map((name) => name.length));
  return [
    'node-agent: takes signed tasks from the control plane, does them on this host, and says what came of them.',
    '',
    'Usage: node-agent <command> [--env-file FILE] [--url URL]',
    '       node-agent enrol --ca-fingerprint SHA256 --token - < FILE',
    '',
    ...Object.entries(commands).map(([name, words]) => `  ${name.padEnd(widest)}  ${words}`),
    '',
    'Options:',
    `  --env-file FILE         settings, one NAME=value per line; ${envFile} when it is there`,
    '  --url URL               the control plane, instead of GPUAAS_API_URL',
    '  --token -               an operator’s one-time token, from standard input: arguments are seen by all on the host',
    '  --ca-fingerprint HEX    SHA-256 of the authority that the control plane must lead to',
    '  --topology              doctor: print what this machine is made of as JSON; needs no settings, changes nothing',
    '  -o, --output FORMAT     doctor: text or json; the status is 1 when something is missing that this host needs',
    '  --dry-run               uninstall: say what would be removed, and remove nothing',
    '  --force                 uninstall: also while a tenant has this host; what runs for them is left without an agent',
    '  --help, --version',
    '',
    'Settings:',
    ...Object.entries(Settings.properties).map(([name, schema]) => {
      const { description, default: usual } = schema as { readonly description?: string; readonly default?: unknown };
      return `  ${name}\n      ${description}${usual === undefined ? '' : ` Usually ${String(usual)}.`}`;
    }),
    '',
  ].join('\n');
}
