import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { HostFailure } from '../port.ts';
import { addGroup, addUser, closeUser, type Login, loginShell, openUser, removeGroup, removeUser } from './argv.ts';
import { type CommandResult, type Commands, complaintOf } from './commands.ts';
import type { Disposal } from './removal/disposal.ts';
import { entryAt, textAt } from './removal/entries.ts';

/**
 * Logins of allocations among those of the host. The comment of an account names its allocation; an account without one
 * is not ours, and is neither used nor changed nor removed, whatever its name or number.
 */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly isOpen: boolean;
  /** The allocation that it was made for, if it was made by us. */
  readonly allocationId: string | undefined;
}
export interface Accounts {
  list(): Promise<Account[]>;
  of(allocationId: string): Promise<Account | undefined>;
  homeOf(username: string): string;
  /** The login is there afterwards, exactly as ordered, or it is a conflict and nothing was changed. */
  make(allocationId: string, login: Login): Promise<Account>;
  /** Nobody can log in any more; what is in the home stays. */
  close(account: Account): Promise<void>;
  /** Undoes `close`: the keys that sshd finds let people in again. */
  open(account: Account): Promise<Account>;
  /** Neither login nor group nor home are there afterwards. */
  remove(allocationId: string, login: Login): Promise<void>;
  /** Groups that another program added the login to. */
  otherGroupsOf(username: string): Promise<string[]>;
}

const mark = 'gpuaas allocation ';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const homeMode = 0o700;

export function makeAccounts(parts: {
  readonly root: string;
  /** Where homes are, for the programs of the host. */
  readonly homes: string;
  readonly commands: Commands;
  readonly isRoot: boolean;
  readonly disposal: Disposal;
}): Accounts {
  const { root, homes, commands } = parts;
  const homeOf = (username: string) => join(homes, username);

  const list = () => readAccounts(root);
  const of = async (allocationId: string) => (await list()).find((account) => account.allocationId === allocationId);
  async function makeGroup(login: Login): Promise<void> {
    const found = async () => {
      const all = await readGroups(root);
      return {
        byName: all.find(({ name }) => name === login.username),
        byGid: all.find(({ gid }) => gid === login.gid),
      };
    };
    const isRight = ({ byName, byGid }: Awaited<ReturnType<typeof found>>) =>
      byName !== undefined && byName.gid === login.gid && byGid?.name === login.username;
    const before = await found();
    if (isRight(before)) return;
    if (before.byName) throw conflict(`There is a group ${login.username} already, with another id.`);
    if (before.byGid) throw conflict(`Group id ${login.gid} belongs to ${before.byGid.name}.`);
    const result = await commands.run(addGroup(login));
    // Another process, or we before a crash, may have been faster: the current state decides.
    if (result.status !== 0 && !isRight(await found())) throw troubleOf('groupadd', result, [4, 9]);
  }

  const expectOurs = async (allocationId: string, login: Login) => findOurs(await list(), allocationId, login);

  return {
    list,
    of,
    homeOf,
    async make(allocationId, login) {
      const there = await expectOurs(allocationId, login);
      if (!there) {
        await makeGroup(login);
        const result = await commands.run(addUser(login, homeOf(login.username), `${mark}${allocationId}`));
        if (result.status !== 0 && !(await expectOurs(allocationId, login))) throw troubleOf('useradd', result, [4, 9]);
      }
      const account = there ?? (await expectOurs(allocationId, login));
      if (!account)
        throw new HostFailure('machine_failed', 'useradd said that it was done, and there is no such user.');
      if (!account.isOpen) throw new HostFailure('lease_conflict', `The login ${account.name} has been closed.`);
      const home = await entryAt(account.home);
      if (!home?.isDirectory()) throw new HostFailure('machine_failed', `${account.home} is not a folder.`);
      if (parts.isRoot) await chown(account.home, login.uid, login.gid);
      await chmod(account.home, homeMode);
      return account;
    },
    async close(account) {
      if (!account.isOpen) return;
      const result = await commands.run(closeUser(account.name));
      const after = (await list()).find(({ name }) => name === account.name);
      if (after?.isOpen) throw new HostFailure('user_remains', `usermod could not close it: ${complaintOf(result)}.`);
    },
    async open(account) {
      if (account.isOpen) return account;
      const result = await commands.run(openUser(account.name));
      const after = (await list()).find(({ name }) => name === account.name);
      if (after?.isOpen) return after;
      throw new HostFailure('machine_failed', `usermod could not open it: ${complaintOf(result)}.`);
    },
    async remove(allocationId, login) {
      const account = await of(allocationId);
      if (account) {
        const result = await commands.run(removeUser(account.name));
        if (await of(allocationId)) {
          throw new HostFailure('user_remains', `userdel could not remove ${account.name}: ${complaintOf(result)}.`);
        }
      }
      const isTaken = (await list()).some(({ name }) => name === login.username);
      if (isTaken) return;
      const group = (await readGroups(root)).find(({ name }) => name === login.username);
      if (group?.gid === login.gid) await commands.run(removeGroup(login.username));
      // A home without a login is what an interrupted removal leaves behind.
      const home = homeOf(login.username);
      await parts.disposal.uncover(home);
      const left = await entryAt(home);
      const isTheirs = account !== undefined || left?.uid === login.uid || !parts.isRoot;
      if (left && isTheirs) await parts.disposal.remove(home);
      await parts.disposal.finish(homes);
    },
    async otherGroupsOf(username) {
      return (await readGroups(root)).filter(({ members }) => members.includes(username)).map(({ name }) => name);
    },
  };
}

const conflict = (message: string) => new HostFailure('user_conflict', message);

/** The statuses with which shadow's programs say that a name or a number is in use, by a directory too. */
const troubleOf = (program: string, result: CommandResult, inUse: readonly number[]) =>
  inUse.includes(result.status)
    ? conflict(`${program}: ${complaintOf(result)}.`)
    : new HostFailure('machine_failed', `${program}: ${complaintOf(result)}.`);

/** The users of the host; those that we made carry their allocation. */
async function readAccounts(root: string): Promise<Account[]> {
  const lines = (await textAt(join(root, 'etc/passwd'))).split('\n').map((line) => line.split(':'));
  return lines.flatMap(([name = '', , uid = '', gid = '', comment = '', home = '', shell = '']) => {
    if (name === '' || uid === '') return [];
    const tag = comment.startsWith(mark) ? comment.slice(mark.length) : '';
    const isOpen = shell === loginShell;
    return [{ name, uid: Number(uid), gid: Number(gid), home, isOpen, allocationId: uuid.test(tag) ? tag : undefined }];
  });
}
async function readGroups(root: string) {
  const lines = (await textAt(join(root, 'etc/group'))).split('\n').map((line) => line.split(':'));
  return lines.map(([name = '', , gid = '', members = '']) => ({
    name,
    gid: Number(gid),
    members: members.split(','),
  }));
}

/** The account of this login, if it is the one that we made. Anything else with its name or number is a conflict. */
function findOurs(all: readonly Account[], allocationId: string, login: Login): Account | undefined {
  const byName = all.find(({ name }) => name === login.username);
  const byUid = all.find(({ uid }) => uid === login.uid);
  if (!byName && !byUid) return undefined;
  if (byName?.allocationId !== allocationId && byName)
    throw conflict(`The name ${login.username} belongs to another program.`);
  if (byUid && byUid.name !== login.username) throw conflict(`User id ${login.uid} belongs to ${byUid.name}.`);
  if (!byName || byName.uid !== login.uid || byName.gid !== login.gid) {
    throw conflict(`The login ${login.username} has other ids than were asked for.`);
  }
  return byName;
}
