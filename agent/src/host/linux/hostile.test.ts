import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import { nodeTaskKinds } from '@gpuaas/contract/node';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { first, makeWork, ordersFor } from '../conformance-rig.ts';
import { type Host, HostFailure, type Work } from '../port.ts';
import {
  addGroup,
  addUser,
  closeUser,
  type Login,
  removeGroup,
  removeUser,
  shellAs,
  showSshdSettings,
} from './argv.ts';
import { type Argv, makeCommands } from './commands.ts';
import { type Fixture, makeFixture, noProcesses } from './testing/fixture.ts';
import { mischief, type Params, waysInto, withValue } from './testing/mischief.ts';

/**
 * Many values in every field that a task has for this host, most of them hostile. What the schema refuses
 * never reaches a program or a file; what it lets through appears in the commands where it belongs, as one word.
 */
const perField = Number(env['GPUAAS_HOSTILE_VALUES'] ?? 1_000);
/** How many of those that pass go all the way; each is a whole handover. */
const allTheWay = 6;

let fixture: Fixture;
let host: Host;
let canary: string;
let orders: Awaited<ReturnType<typeof ordersFor>>;
beforeAll(async () => {
  fixture = await makeFixture({ gpus: 1 });
  canary = join(fixture.folder, 'canary');
  host = await fixture.open({ processes: noProcesses, graceMs: 0 });
  orders = await ordersFor(host, fixture.login);
});
afterAll(() => fixture.close());

interface Method {
  readonly type: keyof typeof nodeTaskKinds;
  readonly good: () => Params;
  readonly call: (params: never, work: Work) => Promise<unknown>;
}
const methods = (): Method[] => {
  const { lease: _lease, authorized_keys, ...promised } = orders.user(first);
  const ofLogin = { allocation_id: first, login: fixture.login };
  return [
    { type: 'allocation.provision_user', good: () => orders.user(first), call: host.provisionUser },
    { type: 'allocation.revoke_user', good: () => ofLogin, call: host.revokeUser },
    {
      type: 'allocation.install_authorized_keys',
      good: () => ({ ...ofLogin, authorized_keys }),
      call: host.installKeys,
    },
    { type: 'allocation.attest', good: () => promised, call: host.attest },
    { type: 'allocation.restart', good: () => promised, call: host.restart },
  ];
};

const sshd = '/usr/sbin/sshd';
/** What the programs must be given for a login, written out once more by hand. */
function expectedFor({ username, uid, gid }: Login, home: string, comment: string): Argv[] {
  const made = ['--uid', `${uid}`, '--gid', `${gid}`, '--no-user-group', '--no-log-init', '--home-dir', home];
  const dropped = ['--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups', '--no-new-privs', '--inh-caps=-all'];
  return [
    ['groupadd', '--gid', `${gid}`, '--', username],
    [
      'useradd',
      ...made,
      '--create-home',
      '--shell',
      '/bin/bash',
      '--comment',
      comment,
      '--password',
      '*',
      '--key',
      'SUB_UID_COUNT=0',
      '--key',
      'SUB_GID_COUNT=0',
      '--',
      username,
    ],
    ['usermod', '--lock', '--expiredate', '1', '--shell', '/usr/sbin/nologin', '--', username],
    ['userdel', '--', username],
    ['groupdel', '--', username],
    [sshd, '-T', '-C', `user=${username},host=localhost,addr=127.0.0.1`],
    ['setpriv', ...dropped, '--bounding-set=-all', '--', '/bin/bash', '--login', '-i'],
  ];
}
const builtFor = (login: Login, home: string, comment: string): Argv[] => [
  addGroup(login),
  addUser(login, home, comment),
  closeUser(login.username),
  removeUser(login.username),
  removeGroup(login.username),
  showSshdSettings(login.username),
  shellAs(login),
];
const mayBeAsked = ['groupadd', 'useradd', 'usermod', 'userdel', 'groupdel', 'nvidia-smi', 'systemctl', 'rm', sshd];

describe('hostile values in every field of a task', () => {
  it('do nothing when the schema refuses them, and are single words when it does not', async () => {
    let [refused, passed, whole] = [0, 0, 0];
    const seed = 20_260_304;
    const work = makeWork();
    const values = fc.sample(mischief(canary), { numRuns: perField, seed });
    for (const { type, good, call } of methods()) {
      const schema = Compile(nodeTaskKinds[type].params as TSchema) as unknown as Validator;
      const right = good();
      for (const way of waysInto(right)) {
        let left = type === 'allocation.provision_user' ? allTheWay : 0;
        for (const value of values) {
          const params = withValue(right, way, value);
          fixture.calls.length = 0;
          if (!schema.Check(params)) {
            refused += 1;
            const outcome = await call(params as never, work).catch((error: unknown) => error);
            if (!(outcome instanceof TypeError) || fixture.calls.length > 0) {
              expect.fail(`${type} ${way.join('.')}: ${JSON.stringify(value)} reached the host`);
            }
            continue;
          }
          passed += 1;
          const { login } = params as { login: Login };
          const home = join(fixture.homes, login.username);
          const comment = `gpuaas allocation ${String(params['allocation_id'])}`;
          const expected = expectedFor(login, home, comment);
          const built = builtFor(login, home, comment);
          if (!isDeepStrictEqual(built, expected)) expect(built).toEqual(expected);
          if (left <= 0) continue;
          left -= 1;
          whole += 1;
          await call(params as never, makeWork()).catch(tolerateFailure);
          await host.revokeUser({ allocation_id: String(params['allocation_id']), login }, makeWork());
          expect(fixture.calls.map(([program]) => program).filter((name) => !mayBeAsked.includes(name))).toEqual([]);
          const texts = new Set(expected.map((argv) => argv.join('\0')));
          // A folder of root's own, with a name of ours, is all that is ever removed.
          const removed = fixture.calls.filter(([program]) => program === 'rm').map((argv) => argv.at(-1) ?? '');
          expect(removed.filter((path) => !path.startsWith(join(fixture.homes, '.gpuaas-removed-')))).toEqual([]);
          const asked = fixture.calls
            .filter(([program]) => program !== 'nvidia-smi' && program !== 'rm')
            .map((argv) => argv.join('\0'));
          expect(asked.filter((text) => !texts.has(text))).toEqual([]);
        }
      }
    }
    await expect(lstat(canary)).rejects.toThrow(/ENOENT/);
    expect(await host.runtimes()).toEqual([]);
    expect(refused).toBeGreaterThan(perField);
    expect(passed).toBeGreaterThan(perField);
    expect(whole).toBeGreaterThan(30);
  }, 300_000);

  it('would be single words to a program too: there is no shell that could read them otherwise', async () => {
    const commands = makeCommands();
    const lists = fc.sample(fc.array(mischief(canary), { minLength: 1, maxLength: 100 }), { numRuns: 100, seed: 7 });
    for (const list of lists) {
      // A word with a NUL in it cannot be handed to any program.
      const plain = list
        .filter((word) => typeof word === 'string')
        .map((word) => word.replaceAll('\0', '').toWellFormed().slice(0, 1_000));
      if (plain.length === 0) continue;
      const { status, stdout } = await commands.run(['printf', '%s\\0', ...plain]);
      expect(status).toBe(0);
      expect(stdout.split('\0').slice(0, -1)).toEqual(plain);
    }
    await expect(lstat(canary)).rejects.toThrow(/ENOENT/);
    await expect(commands.run(['printf', '%s', 'a\0b'])).rejects.toThrow(/null bytes/);
  }, 120_000);
});

function tolerateFailure(error: unknown): void {
  if (!(error instanceof HostFailure)) throw error;
}
