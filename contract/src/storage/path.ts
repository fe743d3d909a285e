/**
 * Where a file of a project lies: `datasets/imagenet/train/0001.tar`. The first word is a kind of namespace, the second its
 * name where the kind has many, the rest is the path inside. The same rules hold in the api, the command line and the console.
 */
export const namespaceKinds = ['shared', 'users', 'workloads', 'datasets', 'checkpoints', 'artifacts'] as const;
export type NamespaceKind = (typeof namespaceKinds)[number];

export interface NamespaceRef {
  readonly kind: NamespaceKind;
  /** Empty for `shared` and `artifacts`, which a project has once. */
  readonly name: string;
}
export interface StoragePath extends NamespaceRef {
  /** Folders below the namespace: empty, or ending with a slash. */
  readonly folder: string;
  /** The last segment; empty where the path is the namespace itself. */
  readonly leaf: string;
  /** Whether it was written with a slash at its end. */
  readonly isFolder: boolean;
}

export const isSingle = (kind: NamespaceKind): boolean => kind === 'shared' || kind === 'artifacts';
const isKind = (text: string): text is NamespaceKind => (namespaceKinds as readonly string[]).includes(text);

const maxPathBytes = 1_024;
const maxSegmentBytes = 255;
const maxSegments = 64;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const slug = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;
/** Control and formatting characters, line separators, lone surrogates and private or unassigned ones. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/u;
const utf8 = new TextEncoder();

/** What is wrong with a segment, in words; undefined when it is a name. */
function whyNotSegment(segment: string): string | undefined {
  if (segment === '') return 'a segment is empty';
  if (utf8.encode(segment).length > maxSegmentBytes) return `a segment has more than ${maxSegmentBytes} bytes`;
  if (unseen.test(segment)) return 'a segment has characters that are not shown';
  if (segment !== segment.normalize('NFC')) return 'a segment is not in the normal form of Unicode (NFC)';
  if (segment.includes('\\')) return 'a segment has a backslash';
  // Whatever a browser, a proxy or a program behind us makes of it, it is no step to another folder.
  for (let text = segment, round = 0; round < 8; round += 1) {
    const folded = text.normalize('NFKC');
    if (/^\s|[\s.]$|[/\\]/u.test(folded) || unseen.test(folded)) {
      return 'a segment begins with a blank, ends with a blank or a dot, or reads as a step to another folder';
    }
    const decoded = decode(folded);
    if (decoded === text) return undefined;
    text = decoded;
  }
  return 'a segment is encoded too many times';
}

function decode(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** Answers the path, or a sentence that says why it is none. */
export function readStoragePath(text: string): StoragePath | string {
  if (utf8.encode(text).length > maxPathBytes) return `The path has more than ${maxPathBytes} bytes.`;
  const isFolder = text.endsWith('/');
  const segments = (isFolder ? text.slice(0, -1) : text).split('/');
  if (segments.length > maxSegments) return `The path has more than ${maxSegments} segments.`;
  const [kind = ''] = segments;
  if (!isKind(kind)) return `A path begins with one of ${namespaceKinds.map((each) => `${each}/`).join(', ')}.`;
  const depth = isSingle(kind) ? 1 : 2;
  const name = isSingle(kind) ? '' : (segments[1] ?? '');
  if (!isSingle(kind)) {
    const wrong = whyNotName(kind, name);
    if (wrong) return wrong;
  }
  const inside = segments.slice(depth);
  for (const segment of inside) {
    const why = whyNotSegment(segment);
    if (why) return `The path is not valid: ${why}.`;
  }
  const leaf = inside.at(-1) ?? '';
  const folders = inside.slice(0, -1);
  return { kind, name, folder: folders.map((each) => `${each}/`).join(''), leaf, isFolder: isFolder || leaf === '' };
}

/** Why a namespace of this kind cannot have the name. */
export function whyNotName(kind: NamespaceKind, name: string): string | undefined {
  if (kind === 'users' || kind === 'workloads') {
    return uuid.test(name) ? undefined : `After ${kind}/ comes an id.`;
  }
  return slug.test(name) && !name.includes('..')
    ? undefined
    : `After ${kind}/ comes a name of small letters, digits, dots, hyphens and underscores.`;
}

export const namespacePath = ({ kind, name }: NamespaceRef): string => (name === '' ? `${kind}/` : `${kind}/${name}/`);
