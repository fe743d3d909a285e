/**
 * The cookies of the console. Over https their names begin with `__Host-`, so that no other host of the domain can set
 * them and no path can hide them; a browser on this machine that comes by http is given the same without the prefix.
 */
export interface Jar {
  /** What a browser is signed in with. */
  readonly session: Cookie;
  /** What a browser remembers between being sent to the issuer and coming back. */
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
  // Lax: a link from a mail or a chat finds the person signed in, and no form of another site is sent with it.
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const cookie = (name: string): Cookie => ({
    name: `${prefix}${name}`,
    read: (header) => readCookie(header, `${prefix}${name}`),
    set: (value, maxAgeSeconds) => `${prefix}${name}=${value}${attributes}; Max-Age=${Math.floor(maxAgeSeconds)}`,
    clear: () => `${prefix}${name}=${attributes}; Max-Age=0`,
  });
  return { session: cookie('gpuaas_session'), login: cookie('gpuaas_login') };
}

/** The first of the name. A browser sends the more specific one first, and a second one was put there by somebody else. */
function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const cut = pair.indexOf('=');
    if (cut > 0 && pair.slice(0, cut).trim() === name) return pair.slice(cut + 1).trim() || undefined;
  }
  return undefined;
}
