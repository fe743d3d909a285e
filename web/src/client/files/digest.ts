/** The SHA-256 of bytes. Browsers compute it on pages that came safely: by https, or from this machine. */
export async function sha256Of(bytes: BufferSource): Promise<Uint8Array> {
  if (!globalThis.crypto?.subtle) {
    throw new Error('The browser computes checksums only on pages that came by https. Use gpuaas cp instead.');
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The checksum of a file as the API describes it: that of its only part, or that of the digests of its parts in order. */
export async function checksumOf(digests: readonly Uint8Array[]): Promise<string> {
  const [only] = digests;
  if (digests.length === 1 && only) return `sha256:${hexOf(only)}`;
  const all = await new Blob(digests as Uint8Array<ArrayBuffer>[]).arrayBuffer();
  return `sha256-parts:${hexOf(await sha256Of(all))}`;
}
