import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Gpuaas, openGpuaas } from '@gpuaas/sdk';
import { signIn } from '../../journeys/support/sign-in.ts';

/** A person of `npm start`, with the command line and with the API. */
export interface Person {
  readonly token: string;
  readonly api: Gpuaas;
  /** Runs the command line as this person; answers what it printed as JSON. */
  gpuaas(...words: string[]): Promise<Record<string, unknown>>;
  /** The same, as text. */
  say(...words: string[]): Promise<string>;
}
const program = join(import.meta.dirname, '../../../../cli/bin/gpuaas.cjs');
const limitMs = 120_000;

export async function openPerson(
  url: string,
  account: { readonly login: string; readonly password: string },
  project?: string,
): Promise<Person> {
  const { access_token: token } = await signIn(url, account);
  const env = {
    ...{ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', NO_COLOR: '1' },
    ...{ GPUAAS_BASE_URL: url, GPUAAS_TOKEN: token },
    ...(project !== undefined && { GPUAAS_PROJECT: project }),
  };
  const say = async (...words: string[]) => {
    const options = { env, timeout: limitMs };
    return (await promisify(execFile)(process.execPath, [program, ...words], options)).stdout;
  };
  return {
    token,
    api: openGpuaas({ baseUrl: url, token }),
    say,
    gpuaas: async (...words) => JSON.parse(await say(...words, '-o', 'json')) as Record<string, unknown>,
  };
}
