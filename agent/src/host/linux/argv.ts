import type { TaskParams } from '@gpuaas/contract/node';
import type { Argv } from './commands.ts';

/**
 * Every command that takes something from a task. Numbers are written by us; the one word that comes from outside, the
 * name of the login, cannot begin with a dash by its schema, and stands behind `--` all the same.
 */
export type Login = TaskParams<'allocation.attest'>['login'];

const noShell = '/usr/sbin/nologin';
export const loginShell = '/bin/bash';

export const addGroup = ({ username, gid }: Login): Argv => ['groupadd', '--gid', String(gid), '--', username];

/**
 * The password is one that nothing matches, which is not the same as a locked account: sshd without PAM lets nobody
 * into a locked one. Logs that are indexed by user id would grow to the size of the id.
 */
export const addUser = ({ username, uid, gid }: Login, home: string, comment: string): Argv => [
  'useradd',
  '--uid',
  String(uid),
  '--gid',
  String(gid),
  '--no-user-group',
  '--no-log-init',
  '--home-dir',
  home,
  '--create-home',
  '--shell',
  loginShell,
  '--comment',
  comment,
  '--password',
  '*',
  // No second range of user ids: what runs under one of those would not be found by the login's own number.
  '--key',
  'SUB_UID_COUNT=0',
  '--key',
  'SUB_GID_COUNT=0',
  '--',
  username,
];

/** Expired since the second day of Unix: no way of logging in looks past that. */
export const closeUser = (username: string): Argv => [
  'usermod',
  '--lock',
  '--expiredate',
  '1',
  '--shell',
  noShell,
  '--',
  username,
];
/** Undoes `closeUser`. The password is the one of `addUser` again, which no input matches. */
export const openUser = (username: string): Argv => [
  'usermod',
  '--unlock',
  '--expiredate',
  '',
  '--shell',
  loginShell,
  '--',
  username,
];
/** The home goes by way of `disposal.ts`, not by `userdel`. */
export const removeUser = (username: string): Argv => ['userdel', '--', username];
export const removeGroup = (username: string): Argv => ['groupdel', '--', username];

const sharedOption = { shm: '--shmem-id', msg: '--queue-id', sem: '--semaphore-id' } as const;
export const removeShared = (kind: keyof typeof sharedOption, id: number): Argv => [
  'ipcrm',
  sharedOption[kind],
  String(id),
];
/** GNU's walks by open folders, follows no link, and with this option stays on the file system it began on. */
export const removeTree = (path: string): Argv => ['rm', '--recursive', '--force', '--one-file-system', '--', path];
export const unprotect = (path: string): Argv => ['chattr', '-R', '-f', '-ia', '--', path];
export const unprotectOne = (path: string): Argv => ['chattr', '-f', '-ia', '--', path];
/** The path is taken as it stands: it is one of an open folder, see `mounts.ts`. */
export const unmount = (path: string): Argv => ['umount', '--no-canonicalize', '--lazy', '--', path];
/** Forgets the keys that the user gave to the kernel. They outlive every process. */
export const clearKeyring = ({ uid, gid }: Login): Argv => [...asLogin({ uid, gid }), '--', 'keyctl', 'clear', '@u'];
/** What sshd would do for this login. It wants to be called by its whole path. */
export const showSshdSettings = (username: string, config?: string): Argv => [
  '/usr/sbin/sshd',
  ...(config === undefined ? [] : ['-f', config]),
  '-T',
  '-C',
  `user=${username},host=localhost,addr=127.0.0.1`,
];
export const testSshdSettings: Argv = ['/usr/sbin/sshd', '-t'];
export const reloadUnit = (unit: string): Argv => ['systemctl', 'try-reload-or-restart', '--', unit];
export const reboot: Argv = ['systemctl', 'reboot'];

const asLogin = ({ uid, gid }: Pick<Login, 'uid' | 'gid'>): Argv => [
  'setpriv',
  '--reuid',
  String(uid),
  '--regid',
  String(gid),
  '--clear-groups',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all',
];
/** A shell with the ids of the login, no other group, and no way to more rights than these. */
export const shellAs = (login: Login): Argv => [...asLogin(login), '--', loginShell, '--login', '-i'];

/** An id that belongs to no account, service or container: systemd gives out none between its containers and 2^31. */
const nobodyElse = '2147483000';
/**
 * Kills all processes of a user with one call of the kernel, `kill(-1)`, which ends whatever the caller may signal. So the
 * caller is made to be one who may signal this user's processes and no others, and whom the user may not signal:
 * - its effective id is the user's, which decides whom it may signal, together with its real id, which nobody else has;
 * - its real and its saved id are not the user's, which decide who may signal it. A program that `setpriv` starts with
 *   the user's id has it as saved id too, and the user could kill it first. Node sets the effective id alone, after its start;
 * - it has no capability to signal others: that one is not in its bounding set, and changing the effective id from root's
 *   drops those that are left. It reads both back before it kills anything.
 */
export const killAllOf = (uid: number): Argv => [
  'setpriv',
  '--ruid',
  nobodyElse,
  '--euid',
  '0',
  '--regid',
  nobodyElse,
  '--clear-groups',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all,+setuid,+dac_read_search',
  '--',
  process.execPath,
  '--eval',
  killAllProgram,
  '--',
  String(uid),
];
const killAllProgram = `
const uid = process.argv[1];
process.seteuid(Number(uid));
const status = require('node:fs').readFileSync('/proc/self/status', 'utf8');
const ids = new RegExp('^Uid:\\\\s+${nobodyElse}\\\\s+' + uid + '\\\\s', 'm');
if (!ids.test(status) || !/^CapEff:\\s+0+$/m.test(status)) throw new Error('this process has other rights than it should');
try {
  process.kill(-1, 'SIGKILL');
} catch (error) {
  if (error.code !== 'ESRCH') throw error;
}
`;
