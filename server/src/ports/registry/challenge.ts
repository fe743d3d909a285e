/** What a registry wants instead of an anonymous request. */
export type Challenge =
  | { readonly kind: 'basic' }
  | {
      readonly kind: 'bearer';
      readonly realm: string;
      readonly service: string | undefined;
      readonly scope: string | undefined;
    };

/** Reads `WWW-Authenticate: Bearer realm="…",service="…",scope="…"`; undefined when it says nothing that we can do. */
export function readChallenge(header: string | undefined): Challenge | undefined {
  const text = (header ?? '').trim();
  const at = text.indexOf(' ');
  const [scheme, rest] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
  if (scheme.toLowerCase() === 'basic') return { kind: 'basic' };
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  const said = new Map([...rest.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));
  const realm = said.get('realm');
  return realm === undefined
    ? undefined
    : { kind: 'bearer', realm, service: said.get('service'), scope: said.get('scope') };
}

/** A login at a registry, by its name: what `podman login --authfile` writes. */
export type Logins = ReadonlyMap<string, string>;
export function readLogins(text: string | undefined): Logins {
  if (text === undefined) return new Map();
  const { auths } = JSON.parse(text) as { auths?: unknown };
  if (typeof auths !== 'object' || auths === null) throw new TypeError('it has no "auths"');
  return new Map(
    Object.entries(auths).map(([registry, login]) => {
      const { auth } = login as { auth?: unknown };
      if (typeof auth !== 'string' || !/^[A-Za-z0-9+/=]+$/.test(auth)) throw new TypeError(`${registry} has no "auth"`);
      return [registry, `Basic ${auth}`];
    }),
  );
}
