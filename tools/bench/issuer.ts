import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';

const algorithm = 'ES256';
const keyId = 'local-1';
export const tokenHours = 12;

export interface LocalIssuer {
  /** Where the api reads the public key. */
  readonly keysUrl: string;
  /** A token for a person of a role, kept in a file that only this user can read. */
  issue(subject: string): Promise<{ readonly token: string; readonly path: string }>;
}

/**
 * Signs tokens for the people of a local start. The key is made on the first one and never leaves the data folder. A
 * deployment names the issuer of its own identity provider instead.
 */
export async function openLocalIssuer(dataDir: string, issuer: string, audience: string): Promise<LocalIssuer> {
  const folder = join(dataDir, 'issuer');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const secretPath = join(folder, 'key.json');
  const publicPath = join(folder, 'keys.json');
  let secret: JWK;
  try {
    secret = JSON.parse(await readFile(secretPath, 'utf8')) as JWK;
  } catch {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    secret = { ...(await exportJWK(privateKey)), kid: keyId, alg: algorithm };
    await writeFile(secretPath, JSON.stringify(secret), { mode: 0o600 });
  }
  const { d: _secret, ...shown } = secret;
  await writeFile(publicPath, JSON.stringify({ keys: [{ ...shown, use: 'sig' }] }));
  const key = await importJWK(secret, algorithm);
  return {
    keysUrl: pathToFileURL(publicPath).href,
    async issue(subject) {
      const token = await new SignJWT({ auth_time: Math.floor(Date.now() / 1_000) })
        .setProtectedHeader({ alg: algorithm, kid: keyId })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setJti(crypto.randomUUID())
        .setIssuedAt()
        .setExpirationTime(`${tokenHours}h`)
        .sign(key);
      const path = join(folder, `${subject}.token`);
      await writeFile(path, token, { mode: 0o600 });
      return { token, path };
    },
  };
}
