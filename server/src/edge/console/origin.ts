/**
 * Whether a request that a browser sent with its cookie comes from a page of ours. Browsers say so in Origin with every
 * request that may change something, and in Sec-Fetch-Site, which pages cannot set. One that says neither is no browser
 * of today, and is not believed.
 */
export function isFromOurPage(
  publicUrl: string,
  headers: { readonly origin?: string | undefined; readonly 'sec-fetch-site'?: string | string[] | undefined },
): boolean {
  if (headers.origin !== undefined) return headers.origin === new URL(publicUrl).origin;
  return headers['sec-fetch-site'] === 'same-origin';
}
