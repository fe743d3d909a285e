import { secretFileMode } from './facts.ts';

/** Where hosts enrol, and how they know that they talk to us. */
export interface NodeDoor {
  readonly url: string;
  /** SHA-256 of the certificate of our authority; undefined where the host has a trust file of its own. */
  readonly fingerprint: string | undefined;
}

const program = 'gpuaas-node-agent';
const tokenPath = '/etc/gpuaas/enrolment-token';

const enrolArgv = (door: NodeDoor, secret: readonly string[]): string[] => [
  program,
  'enrol',
  '--url',
  door.url,
  ...(door.fingerprint === undefined ? [] : ['--ca-fingerprint', door.fingerprint]),
  ...secret,
];

/** Quoted for a shell whatever it contains; what needs no quotes has none. */
const quoted = (word: string): string => (/^[\w/.:=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

export const installCommand = (door: NodeDoor, token: string): string =>
  ['sudo', ...enrolArgv(door, ['--token', token])].map(quoted).join(' ');

/**
 * The same as user data. JSON is YAML, so what is written here is a document that was encoded, not a text with holes. The
 * command is a list of arguments, which cloud-init runs without a shell, and the token is in a file rather than in a
 * list of processes.
 */
export function cloudInit(door: NodeDoor, token: string): string {
  const document = {
    write_files: [{ path: tokenPath, owner: 'root:root', permissions: secretFileMode, content: token }],
    runcmd: [enrolArgv(door, ['--token-file', tokenPath]), ['rm', '-f', tokenPath]],
  };
  return `#cloud-config\n${JSON.stringify(document, undefined, '  ')}\n`;
}
