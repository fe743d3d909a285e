import { analyse } from 'scslre';

/**
 * Rules of our own for static security analysis, as a plugin of oxlint. Each says what an attacker could do and what to
 * write instead. They read syntax alone, so that a file is judged in microseconds.
 */
interface Node {
  readonly type: string;
  readonly [part: string]: unknown;
}
interface Context {
  report(finding: { readonly node: Node; readonly message: string }): void;
}
interface Rule {
  readonly meta: { readonly type: 'problem'; readonly docs: { readonly description: string } };
  create(context: Context): Readonly<Record<string, (node: Node) => void>>;
}

const rule = (description: string, create: Rule['create']): Rule => ({
  meta: { type: 'problem', docs: { description } },
  create,
});

const nodeOf = (value: unknown): Node | undefined =>
  typeof value === 'object' && value !== null && 'type' in value ? (value as Node) : undefined;

/** The name behind `name`, `x.name` and `x['name']`. */
function nameOf(value: unknown): string | undefined {
  const node = nodeOf(value);
  if (node?.type === 'Identifier') return node['name'] as string;
  if (node?.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  return node?.type === 'MemberExpression' ? nameOf(node['property']) : undefined;
}
const textOf = (value: unknown): string | undefined => {
  const node = nodeOf(value);
  return node?.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
};
const argumentsOf = (node: Node): readonly unknown[] => node['arguments'] as readonly unknown[];

/** Backtracking that grows faster than the text. A search that tries every beginning is quadratic at worst, and not meant. */
const slowRegexp = rule('A regular expression takes time in proportion to its text', (context) => ({
  Literal(node) {
    const regex = node['regex'] as { readonly pattern: string; readonly flags: string } | undefined;
    if (!regex) return;
    const { reports } = analyse(
      { source: regex.pattern, flags: regex.flags },
      { reportTypes: { Move: false }, assumeRejectingSuffix: false },
    );
    const [worst] = [...reports].sort((a, b) => Number(b.exponential) - Number(a.exponential));
    if (!worst) return;
    const growth = worst.exponential ? 'exponentially' : 'faster than the text';
    const message = `A text can be chosen for which this regular expression backtracks ${growth}. Let its parts share no character.`;
    context.report({ node, message });
  },
}));

const markup: ReadonlySet<string> = new Set(['innerHTML', 'outerHTML', 'srcdoc']);
const noMarkup = rule('Text is never parsed as markup', (context) => {
  const message = 'Text that is parsed as markup can run scripts. Set textContent, or let React render it.';
  return {
    AssignmentExpression(node) {
      const left = nodeOf(node['left']);
      if (left?.type === 'MemberExpression' && markup.has(nameOf(left) ?? '')) context.report({ node, message });
    },
    JSXAttribute(node) {
      const name = nodeOf(node['name'])?.['name'];
      if (name === 'dangerouslySetInnerHTML' || name === 'srcDoc') context.report({ node, message });
    },
    CallExpression(node) {
      const callee = nodeOf(node['callee']);
      const name = nameOf(callee);
      const isWrite = name === 'write' && nameOf(callee?.['object']) === 'document';
      if (name === 'insertAdjacentHTML' || isWrite) context.report({ node, message });
    },
  };
});

const checkedPeers = rule('Certificates are always checked', (context) => ({
  Property(node) {
    const value = nodeOf(node['value']);
    if (nameOf(node['key']) === 'rejectUnauthorized' && value?.type === 'Literal' && value['value'] === false) {
      const message =
        'Without this check anybody between the two ends reads and changes what is sent. Give it the authority (`ca`).';
      context.report({ node, message });
    }
  },
  AssignmentExpression(node) {
    if (nameOf(node['left']) === 'NODE_TLS_REJECT_UNAUTHORIZED') {
      context.report({ node, message: 'This turns the check of certificates off for the whole process.' });
    }
  },
}));

const weakDigests = /^(?:md[245]|rsa-md5|ripemd160)$/i;
const weakCiphers = /^(?:des|rc[24]|bf)\b|-(?:ecb|cbc)$/i;
const strongCryptography = rule('Digests and ciphers are ones that nobody has broken', (context) => ({
  CallExpression(node) {
    const name = nameOf(node['callee']);
    const [first] = argumentsOf(node);
    const algorithm = textOf(first) ?? '';
    if ((name === 'createHash' || name === 'createHmac') && weakDigests.test(algorithm)) {
      context.report({ node, message: `${algorithm} can be forged. Use sha256.` });
    }
    if ((name === 'createCipheriv' || name === 'createDecipheriv') && weakCiphers.test(algorithm)) {
      context.report({ node, message: `${algorithm} does not notice changed texts. Use aes-256-gcm.` });
    }
  },
}));

const guessable = rule('Nothing that has to be unguessable comes from Math.random', (context) => ({
  CallExpression(node) {
    const callee = nodeOf(node['callee']);
    if (nameOf(callee) === 'random' && nameOf(callee?.['object']) === 'Math') {
      const message =
        'Math.random can be predicted. Use randomBytes or randomInt of node:crypto, or hand the source in.';
      context.report({ node, message });
    }
  },
}));

export default {
  meta: { name: 'gpuaas' },
  rules: {
    'slow-regexp': slowRegexp,
    'no-markup': noMarkup,
    'checked-peers': checkedPeers,
    'strong-cryptography': strongCryptography,
    guessable,
  },
};
