import { createPublicKey, verify as verifyBytes } from 'node:crypto';
import { signedText } from '@gpuaas/contract/node';

/** Whether the holder of the key signed exactly this. A text without a canonical form counts as unsigned. */
export function isSignedBy(said: { readonly signature?: string }, rawKey: string): boolean {
  try {
    if (said.signature === undefined) return false;
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: rawKey }, format: 'jwk' });
    const signature = Buffer.from(said.signature, 'base64url');
    // The last character has bits to spare: of its spellings one counts, so that a message is one text.
    if (signature.toString('base64url') !== said.signature) return false;
    return verifyBytes(null, Buffer.from(signedText(said)), key, signature);
  } catch {
    return false;
  }
}
