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
export const removeUser = (username: string): Argv => ['userdel', '--remove', '--', username];
export const removeGroup = (username: string): Argv => ['groupdel', '--', username];

const sharedOption = { shm: '--shmem-id', msg: '--queue-id', sem: '--semaphore-id' } as const;
export const removeShared = (kind: keyof typeof sharedOption, id: number): Argv => [
  'ipcrm',
  sharedOption[kind],
  String(id),
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
