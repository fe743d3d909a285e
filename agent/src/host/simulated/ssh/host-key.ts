import { createPrivateKey, createPublicKey } from 'node:crypto';
import { ed25519, ed25519Blob, keyLine, opensshPrivateKey } from '@gpuaas/contract/ssh';
import { fingerprintOfKey } from '../../fingerprint.ts';
import { drawBytes } from '../hardware.ts';

/** The head of a PKCS #8 document of Ed25519; the 32 bytes of the key follow. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
const keyBytes = 32;

/** The host key of a simulated machine. It is drawn from what the machine is called and guards nothing that is real. */
export function drawHostKey(seed: string): {
  readonly privateKey: string;
  readonly publicKey: string;
  readonly fingerprint: string;
} {
  const secret = drawBytes(seed, 'host key');
  const pkcs8 = Buffer.concat([pkcs8Head, secret]);
  const shared = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
  const raw = shared.export({ format: 'der', type: 'spki' }).subarray(-keyBytes);
  const publicKey = keyLine(ed25519, ed25519Blob(raw));
  return {
    privateKey: opensshPrivateKey(secret, raw, 'simulated', secret.readUInt32BE(0)),
    publicKey,
    fingerprint: fingerprintOfKey(publicKey),
  };
}
