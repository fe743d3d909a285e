import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startServer, type TestServer } from '../../src/testing/servers/start.ts';

const run = promisify(execFile);
const source = join(import.meta.dirname, '../../../deploy/edge/nginx');
const program = '/usr/sbin/nginx';

/** What the profile names and this machine has instead. */
export interface Places {
  /** `10.0.0.11:8443` and so on: where a process really listens. One that is missing is an address where nobody is. */
  readonly processes: Readonly<Record<string, number>>;
  /** The ports of the edge, by those of the profile. */
  readonly ports: Readonly<Record<number, number>>;
  /** The folder with the certificates of people and apps. */
  readonly certificates: string;
  /** Names and addresses of the example, and those of the test. */
  readonly names: Readonly<Record<string, string>>;
}

/** The address that the edge calls the processes from: they are on one machine here, and it alone is trusted. */
export const edgeAddress = '127.0.0.2';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

/**
 * nginx with a profile of `deploy/edge/nginx` as it stands there. Only addresses, ports, names and folders are those of the
 * test; the lines behind `http {` are added, so that nginx runs without root and calls from an address of its own.
 */
export async function startNginx(
  profile: 'nginx.conf' | 'nginx-vpn.conf',
  folder: string,
  places: Places,
): Promise<TestServer & { test(): Promise<string>; log(name: 'access' | 'hosts' | 'error'): Promise<string> }> {
  await mkdir(join(folder, 'gpuaas'), { recursive: true });
  const files = [profile, ...(await readdir(join(source, 'gpuaas'))).map((name) => join('gpuaas', name))];
  for (const file of files) {
    const text = here(await readFile(join(source, file), 'utf8'), folder, places);
    await writeFile(join(folder, file), text);
  }
  const args = ['-c', join(folder, profile)];
  const port = places.ports[443] ?? 0;
  // The error log before the configuration is read is that of the package.
  const { stderr } = await run(program, ['-t', ...args]);
  const server = await startServer({
    ...{ command: program, args: [...args, '-g', 'daemon off;'], port, url: `https://localhost:${port}` },
    ...(profile === 'nginx-vpn.conf' && { host: places.names['10.99.0.2'] ?? '' }),
  });
  return {
    ...server,
    test: async () => stderr,
    log: (name) => readFile(join(folder, `${name}.log`), 'utf8'),
  };
}

const isHeld = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

function here(text: string, folder: string, { processes, ports, names, certificates }: Places): string {
  const held = isHeld.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n');
  let changed = text
    .replaceAll(/^user .*\n/gm, '')
    .replaceAll(/^http \{$/gm, `http {\n${held}\n  proxy_bind ${edgeAddress};`)
    .replaceAll('/etc/nginx/tls', certificates)
    .replaceAll('/var/log/nginx', folder)
    .replaceAll('/run/nginx.pid', join(folder, 'nginx.pid'))
    // Nobody listens on port 9 of this machine.
    .replaceAll(/\b10\.0\.0\.1[12]:\d+/g, (address) => `127.0.0.1:${processes[address] ?? 9}`)
    .replaceAll(
      /\blisten ([\d.]+):(\d+)/g,
      (_, host: string, port: string) => `listen ${names[host]}:${ports[Number(port)]}`,
    )
    .replaceAll(/\blisten (\d+)(?=[ ;])/g, (_, port: string) => `listen 127.0.0.1:${ports[Number(port)]}`)
    .replaceAll(/^ *listen \[::\]:(\d+)(.*)\n/gm, (_, port: string, rest: string) =>
      hasIpv6 ? `    listen [::1]:${ports[Number(port)]}${rest}\n` : '',
    );
  for (const [from, to] of Object.entries(names)) changed = changed.replaceAll(from, to);
  return changed;
}
