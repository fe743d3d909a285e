/**
 * Whether a request with a cookie comes from a page of ours. Browsers send Origin with every request that may change
 * something, and Sec-Fetch-Site, which pages cannot set. A request with neither is refused.
 */
export function isFromOurPage(
  publicUrl: string,
  headers: { readonly origin?: string | undefined; readonly 'sec-fetch-site'?: string | string[] | undefined },
): boolean {
  if (headers.origin !== undefined) return headers.origin === new URL(publicUrl).origin;
  return headers['sec-fetch-site'] === 'same-origin';
}
