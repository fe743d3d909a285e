import { randomInt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainLayOut } from '../../edge/oidc/layout.ts';
import { makeIssuerPages } from '../../edge/oidc/pages.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { openIdentityProvider } from '../../ports/identity-provider/open.ts';

/** The people of a local start, named by what they may do. */
export const people = [
  { login: 'owner', name: 'Olivia Owner', may: 'owns the organization "Demo"', role: 'owner' },
  { login: 'admin', name: 'Adam Admin', may: 'administers it', role: 'admin' },
  { login: 'member', name: 'Mara Member', may: 'works in it', role: 'member' },
  { login: 'viewer', name: 'Vera Viewer', may: 'looks at it', role: 'viewer' },
  { login: 'operator', name: 'Otto Operator', may: 'operates the platform', platformRole: 'platform_superadmin' },
  {
    login: 'finance',
    name: 'Fina Finance',
    may: 'sees to the money of the platform',
    platformRole: 'platform_finance',
  },
  { login: 'support', name: 'Sam Support', may: 'helps those who use it', platformRole: 'platform_support' },
] as const;
export type Login = (typeof people)[number]['login'];

export interface LocalAccounts {
  /** By what name people of our own issuer are kept. */
  readonly issuer: string;
  /** The same for all of them: made on the first start of this folder, and known to nobody else. */
  readonly password: string;
  readonly passwordPath: string;
  /** For the start itself, which acts in the name of a demo person. */
  tokenFor(login: Login): Promise<string>;
  subjectOf(login: Login): string;
  close(): Promise<void>;
}

/** Letters and digits that nobody mistakes for each other. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const [groups, groupLength] = [4, 4];
const tokenMs = 5 * 60_000;

/**
 * Accounts exist only where `npm start` made them: a deployment that starts the api alone has none until an
 * administrator creates one, and no known password.
 */
export async function openLocalAccounts(spec: {
  readonly dataDir: string;
  readonly issuerUrl: string;
  readonly publicUrl: string;
  readonly audience: string;
  readonly sealingKey: string;
}): Promise<LocalAccounts> {
  const passwordPath = join(spec.dataDir, 'demo-password');
  const kept = (await readFile(passwordPath, 'utf8').catch(() => '')).trim();
  const password = kept || makePassword();
  if (!kept) await writeFile(passwordPath, `${password}\n`, { mode: 0o600 });
  const issuer = await openIdentityProvider(
    {
      kind: 'embedded',
      url: spec.issuerUrl,
      publicUrl: spec.publicUrl,
      audience: spec.audience,
      sealingKey: { text: spec.sealingKey },
    },
    { clock: systemClock, ids: systemIds, pages: makeIssuerPages(plainLayOut) },
  );
  try {
    const subjects = new Map(
      await Promise.all(
        people.map(async ({ login, name }) => {
          const found = await issuer.accounts.find({ login });
          // The password file was removed: the unknown password is replaced.
          if (found && !kept) await issuer.accounts.setPassword(found.id, password);
          const account =
            found ??
            (await issuer.accounts.create({ login, displayName: name, email: `${login}@demo.example`, password }));
          if ('refused' in account) throw new Error(`The account ${login} could not be made: ${account.refused}`);
          return [login, account.id] as const;
        }),
      ),
    );
    const subjectOf = (login: Login) => subjects.get(login) ?? '';
    return {
      issuer: issuer.name,
      password,
      passwordPath,
      tokenFor: (login) => issuer.vouchFor(subjectOf(login), tokenMs),
      subjectOf,
      close: issuer.close,
    };
  } catch (error) {
    await issuer.close();
    throw error;
  }
}

const makePassword = (): string =>
  Array.from({ length: groups }, () =>
    Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join(''),
  ).join('-');
