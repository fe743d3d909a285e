/**
 * The cookies of the console. Over https their names begin with `__Host-`, so that no other host of the domain can set
 * them and no path can hide them; a browser on this machine that comes by http is given the same without the prefix.
 */
export interface Jar {
  /** The session cookie of the console. */
  readonly session: Cookie;
  /** The state of a sign-in while the browser is at the issuer. */
  readonly login: Cookie;
}
export interface Cookie {
  readonly name: string;
  read(header: string | undefined): string | undefined;
  set(value: string, maxAgeSeconds: number): string;
  clear(): string;
}

export function makeJar(publicUrl: string): Jar {
  const isSecure = publicUrl.startsWith('https:');
  const prefix = isSecure ? '__Host-' : '';
  // Lax: a link from another site finds the person signed in, and a form of another site is sent without the cookie.
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const cookie = (name: string): Cookie => ({
    name: `${prefix}${name}`,
    read: (header) => readCookie(header, `${prefix}${name}`),
    set: (value, maxAgeSeconds) => `${prefix}${name}=${value}${attributes}; Max-Age=${Math.floor(maxAgeSeconds)}`,
    clear: () => `${prefix}${name}=${attributes}; Max-Age=0`,
  });
  return { session: cookie('gpuaas_session'), login: cookie('gpuaas_login') };
}

/** The first cookie of the name. A browser sends the more specific one first; a second one was planted. */
function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const cut = pair.indexOf('=');
    if (cut > 0 && pair.slice(0, cut).trim() === name) return pair.slice(cut + 1).trim() || undefined;
  }
  return undefined;
}
