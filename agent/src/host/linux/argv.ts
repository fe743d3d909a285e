import type { TaskParams } from '@gpuaas/contract/node';
import type { Argv } from './commands.ts';

/**
 * Every command that takes something from a task. Numbers are written by us; the one word that comes from outside, the
 * name of the login, cannot begin with a dash by its schema, and stands behind `--` all the same.
 */
export type Login = TaskParams<'allocation.attest'>['login'];

export const noShell = '/usr/sbin/nologin';
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
export const unmount = (path: string): Argv => ['umount', '--lazy', '--', path];
/** What sshd would do for this login. It wants to be called by its whole path. */
export const showSshdSettings = (username: string, config?: string): Argv => [
  '/usr/sbin/sshd',
  ...(config === undefined ? [] : ['-f', config]),
  '-T',
  '-C',
  `user=${username},host=localhost,addr=127.0.0.1`,
];
export const reboot: Argv = ['systemctl', 'reboot'];

/** A shell with the ids of the login, no other group, and no way to more rights than these. */
export const shellAs = ({ uid, gid }: Login): Argv => [
  'setpriv',
  '--reuid',
  String(uid),
  '--regid',
  String(gid),
  '--clear-groups',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all',
  '--',
  loginShell,
  '--login',
  '-i',
];
