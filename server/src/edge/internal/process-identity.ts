import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The certificate and key of a process, in a folder of its owner alone. `identity.pem` has the key and then the chain in one
 * file, so that a renewal replaces both at once; `roots.pem` has what the process trusts.
 */
export interface ProcessIdentity {
  current(): Held;
  onRenewed(listener: () => void): void;
  /** Takes a new certificate into use, and keeps it where the folder can be written. */
  replace(next: {
    readonly key: string;
    readonly chain: string;
    readonly roots: string;
  }): Promise<'kept' | 'in memory'>;
}
export interface Held {
  readonly tls: { readonly key: string; readonly cert: string; readonly ca: string };
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const privateKey = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/;
const othersMay = 0o077;

export async function openProcessIdentity(folder: string): Promise<ProcessIdentity> {
  const listeners = new Set<() => void>();
  let held = await readIdentity(folder);
  return {
    current: () => held,
    onRenewed: (listener) => void listeners.add(listener),
    async replace(next) {
      held = makeHeld(next);
      const outcome = await writeIdentity(folder, next).then(
        () => 'kept' as const,
        () => 'in memory' as const,
      );
      for (const listener of listeners) listener();
      return outcome;
    },
  };
}

export async function writeIdentity(
  folder: string,
  identity: { readonly key: string; readonly chain: string; readonly roots: string },
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const put = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(`${path}.next`, text, { mode: 0o600 });
    await chmod(`${path}.next`, 0o600);
    await rename(`${path}.next`, path);
  };
  // The new roots trust the old certificate too, so a stop between the two does no harm.
  await put('roots.pem', `${identity.roots.trim()}\n`);
  await put('identity.pem', `${identity.key.trim()}\n${identity.chain.trim()}\n`);
}

async function readIdentity(folder: string): Promise<Held> {
  const path = join(folder, 'identity.pem');
  const found = await stat(path).catch((cause: unknown) => {
    throw new Error(`There is no identity at ${path}: make one with server/src/bin/process-identity.`, { cause });
  });
  if ((found.mode & othersMay) !== 0) {
    throw new Error(`${path} can be read by others: chmod 600 ${path}`);
  }
  const [text, roots] = await Promise.all([readFile(path, 'utf8'), readFile(join(folder, 'roots.pem'), 'utf8')]);
  const key = privateKey.exec(text)?.[0];
  if (!key) throw new Error(`${path} has no private key: make a new identity with server/src/bin/process-identity.`);
  return makeHeld({ key, chain: text.replace(privateKey, '').trim(), roots });
}

function makeHeld({
  key,
  chain,
  roots,
}: {
  readonly key: string;
  readonly chain: string;
  readonly roots: string;
}): Held {
  const leaf = new X509Certificate(chain);
  return {
    tls: { key: key.trim(), cert: chain.trim(), ca: roots.trim() },
    notBefore: new Date(leaf.validFrom),
    notAfter: new Date(leaf.validTo),
  };
}
