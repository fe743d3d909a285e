/** RFC 4251: a string begins with its length, in four bytes. */
export const lengthBytes = 4;
/** A byte has eight bits. */
export const byteBits = 8;
/** In this base, a number has as many digits as it has bits. */
export const base2 = 2;
/** RFC 4251: from this first byte on, a number would be negative. */
export const negativeFrom = 0x80;
/** RFC 8032: the public key of Ed25519 has 32 bytes. */
export const ed25519 = { bytes: 32, bits: 256 } as const;
/** SEC 1: an uncompressed point begins with this byte, and two coordinates follow. */
export const uncompressed = { mark: 4, coordinates: 2 } as const;
/** RFC 5656: the curves of ECDSA keys, by the name they have in a key. */
export const curves: Readonly<Record<string, { readonly jwk: string; readonly bits: number }>> = {
  nistp256: { jwk: 'P-256', bits: 256 },
  nistp384: { jwk: 'P-384', bits: 384 },
  nistp521: { jwk: 'P-521', bits: 521 },
};
/** RFC 8017: an exponent is odd and greater than one, so it has two bits at least. */
export const minExponentBits = 2;
/** As much of a comment as is kept. */
export const maxComment = 200;
/** Longer keys take OpenSSH itself seconds to check, and no client makes them. */
export const maxRsaBits = 16_384;
/** PROTOCOL.sshsig: a signature begins with this text and a version, and has five fields. */
export const sshsig = { preamble: 'SSHSIG', version: 1, fields: 5 } as const;
/** A signature that was made for another purpose proves nothing here. */
export const proofNamespace = 'gpuaas-key';
/** PROTOCOL.sshsig names these two and no others. */
export const proofDigests = ['sha256', 'sha512'] as const;
