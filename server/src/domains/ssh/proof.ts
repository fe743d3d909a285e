import { hash } from 'node:crypto';
import { readKeyLine, readTexts, sshConcat, sshString } from '@gpuaas/contract/ssh';
import { verifiesSsh } from '../../kernel/secrets/ssh-signature.ts';
import { lengthBytes, proofDigests, proofNamespace, sshsig } from './facts.ts';

/** The text that a person signs. It names the person, so the proof of one person is no proof of another. */
export const proofText = (userId: string): string => `gpuaas key of ${userId}`;

const armour = /^-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----$/;

/**
 * What is wrong with a signature of `ssh-keygen -Y sign` (PROTOCOL.sshsig) as a proof that a person holds a key; undefined when it is
 * good.
 */
export function whyNoProof(
  signature: string,
  key: { readonly line: string; readonly userId: string },
): string | undefined {
  const text = armour.exec(signature.trim())?.[1];
  const own = readKeyLine(key.line)?.blob;
  if (text === undefined || !own) return 'Send what ssh-keygen -Y sign wrote, from its first line to its last.';
  try {
    const bytes = Buffer.from(text, 'base64');
    const headBytes = sshsig.preamble.length + lengthBytes;
    const [shown, namespace, reserved, digest, proof] = readTexts(bytes.subarray(headBytes), sshsig.fields).map(
      (part) => Buffer.from(part),
    );
    const isOurs =
      bytes.toString('latin1', 0, sshsig.preamble.length) === sshsig.preamble &&
      bytes.readUInt32BE(sshsig.preamble.length) === sshsig.version;
    if (!isOurs || !shown || !proof) {
      return 'It is no signature of ssh-keygen -Y sign.';
    }
    if (!shown.equals(own)) return 'Another key made this signature.';
    if (namespace?.toString() !== proofNamespace) {
      return `It was made for another purpose: use ssh-keygen -Y sign -n ${proofNamespace}.`;
    }
    const algorithm = proofDigests.find((name) => name === digest?.toString());
    if (!algorithm) return 'It uses a digest that we do not take.';
    const message = sshConcat(
      ...[Buffer.from(sshsig.preamble), sshString(proofNamespace), sshString(reserved ?? Buffer.alloc(0))],
      ...[sshString(algorithm), sshString(hash(algorithm, proofText(key.userId), 'buffer'))],
    );
    return verifiesSsh(own, proof, message) ? undefined : `It does not hold for the text "${proofText(key.userId)}".`;
  } catch {
    return 'The signature is damaged: copy it again, from its first line to its last.';
  }
}
