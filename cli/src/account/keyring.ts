import { spawn } from 'node:child_process';
import type { Environment } from '../command.ts';

/**
 * The keyring of the person's desktop, through the program that comes with it: `security` on macOS, `secret-tool` where
 * there is a session bus. What is kept there is encrypted at rest and locked with the session. A secret goes through a
 * pipe, never onto a command line, where every user of the machine could read it.
 */
export interface Keyring {
  read(name: string): Promise<string | undefined>;
  /** Returns whether it was stored. */
  write(name: string, secret: string): Promise<boolean>;
  remove(name: string): Promise<void>;
}

/** Long enough for a person to type the password of their keyring. */
const patienceMs = 60_000;

export function findKeyring(env: Environment, platform: NodeJS.Platform = process.platform): Keyring | undefined {
  if (env['GPUAAS_KEYRING'] === 'off') return undefined;
  if (platform === 'darwin') return ofMac(env);
  return platform === 'linux' && env['DBUS_SESSION_BUS_ADDRESS'] ? ofDesktop(env) : undefined;
}

function ofDesktop(env: Environment): Keyring {
  const about = (name: string) => ['service', 'gpuaas', 'profile', name];
  return {
    read: async (name) => decode(await run(env, 'secret-tool', ['lookup', ...about(name)])),
    write: async (name, secret) => {
      const args = ['store', '--label', `GPUaaS (${name})`, ...about(name)];
      return (await run(env, 'secret-tool', args, encode(secret))) !== undefined;
    },
    remove: async (name) => void (await run(env, 'secret-tool', ['clear', ...about(name)])),
  };
}

function ofMac(env: Environment): Keyring {
  const about = (name: string) => ['-s', 'gpuaas', '-a', name];
  return {
    read: async (name) => decode(await run(env, 'security', ['find-generic-password', ...about(name), '-w'])),
    // Read as commands from its standard input: the names of profiles and base64 have nothing to quote.
    write: async (name, secret) => {
      const order = ['add-generic-password', '-U', ...about(name), '-w', encode(secret)].join(' ');
      return (await run(env, 'security', ['-i'], `${order}\n`)) !== undefined;
    },
    remove: async (name) => void (await run(env, 'security', ['delete-generic-password', ...about(name)])),
  };
}

const encode = (secret: string): string => Buffer.from(secret).toString('base64url');
const decode = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === '' ? undefined : Buffer.from(text.trim(), 'base64url').toString();

/** Its output, if it succeeded. A missing program means that there is no keyring. */
function run(env: Environment, program: string, args: readonly string[], input = ''): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], { env, stdio: ['pipe', 'pipe', 'ignore'], timeout: patienceMs });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? out : undefined));
    // It may have exited before it read its input.
    child.stdin.once('error', () => undefined);
    child.stdin.end(input);
  });
}
