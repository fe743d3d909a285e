/**
 * Where a browser goes after signing in: a path of ours and nothing else. Browsers read `//host`, `/\host` and tabs in
 * odd places as other sites, so the address is resolved as they would and only its path is kept.
 */
export function readReturnTo(given: unknown, publicUrl: string): string {
  const home = '/';
  if (typeof given !== 'string' || !given.startsWith('/') || given.length > maxLength) return home;
  if (!URL.canParse(given, publicUrl)) return home;
  const { origin, pathname, search, hash } = new URL(given, publicUrl);
  // Back to signing in or out would be a circle.
  if (origin !== new URL(publicUrl).origin || pathname.startsWith('//') || pathname.startsWith('/auth/')) return home;
  return `${pathname}${search}${hash}`;
}
const maxLength = 2_000;
