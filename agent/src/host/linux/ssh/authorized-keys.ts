import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprintOfKey } from '../../fingerprint.ts';
import { isAuthorityLine } from '../../key-lines.ts';
import { HostFailure } from '../../port.ts';
import type { Account } from '../accounts.ts';
import { showSshdSettings } from '../argv.ts';
import { type Commands, complaintOf } from '../commands.ts';

/**
 * The keys of tenants lie in a folder of root's, outside of every home, one file for each login. Root therefore writes
 * nothing where a tenant could put a link, and a tenant cannot add a key that outlives its removal. sshd must be configured to read them there and only there; this is checked before a login is handed out.
 */
export interface KeyFile {
  /** The lines are exactly these afterwards, all at once. Answers the fingerprints of the keys that lie there then. */
  write(account: Account, lines: readonly string[]): Promise<string[]>;
  /** The fingerprints of the keys that lie there, without authorities; none when there is no file. */
  read(username: string): Promise<string[]>;
  /** The file is gone afterwards. */
  remove(username: string): Promise<void>;
  /** Throws, with what to do, unless sshd reads this file for this login and no other. */
  expectRead(username: string): Promise<void>;
}

/** Below the root of the machine. */
export const keysFolder = 'etc/ssh/gpuaas-authorized-keys';
/** sshd reads the file with the rights of the login: it may enter the folder, and not list it. */
const modes = { folder: 0o711, file: 0o644 };

export function makeKeyFile(parts: {
  readonly folder: string;
  readonly commands: Commands;
  /** The settings of the sshd that tenants meet, when it is not the machine's usual one. */
  readonly sshdConfig?: string;
}): KeyFile {
  const { folder } = parts;
  const at = (username: string) => join(folder, username);

  async function write(account: Account, lines: readonly string[]): Promise<string[]> {
    await mkdir(folder, { recursive: true, mode: modes.folder });
    await chmod(folder, modes.folder);
    const next = join(folder, `.${account.name}.next`);
    await rm(next, { force: true });
    const file = await open(next, 'wx', modes.file);
    try {
      await file.writeFile(lines.map((line) => `${line}\n`).join(''));
      await file.chmod(modes.file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, at(account.name));
    return read(account.name);
  }
  async function read(username: string): Promise<string[]> {
    const text = await readFile(at(username), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    return text
      .split('\n')
      .filter((line) => line !== '' && !isAuthorityLine(line))
      .map(fingerprintOfKey);
  }

  // One at a time: a lease that ends while its keys are written has the last word.
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  }
  return {
    write: (account, lines) => inTurn(() => write(account, lines)),
    read: (username) => inTurn(() => read(username)),
    remove: (username) => inTurn(() => rm(at(username), { force: true })),
    async expectRead(username) {
      const result = await parts.commands.run(showSshdSettings(username, parts.sshdConfig));
      const read = /^authorizedkeysfile (.+)$/im.exec(result.stdout)?.[1]?.trim();
      if (read === at('%u') || read === at(username)) return;
      const seen = read === undefined ? complaintOf(result) : `for ${username} it reads ${read}`;
      throw new HostFailure(
        'host_not_ready',
        `sshd must read the keys of tenants from ${at('%u')} and nowhere else: set AuthorizedKeysFile (${seen}).`,
      );
    },
  };
}
