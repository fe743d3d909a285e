/** For each rule a line that breaks it. The gate reads them together with the product: a rule that is silent has gone blind. */
export const canaries: Readonly<Record<string, string>> = {
  'eslint/no-eval': 'export const run = (text: string) => eval(text);',
  'eslint/no-new-func': 'export const make = (text: string) => new Function(text);',
  'eslint/no-script-url': "export const link = 'javascript:alert(1)';",
  'security/detect-bidi-characters': "export const role = 'user\u202e // admin';",
  'security/detect-buffer-noassert': 'export const read = (bytes: Buffer) => bytes.readUInt8(1, true);',
  'security/detect-child-process':
    "import { exec } from 'node:child_process';\nexport const list = (folder: string) => exec('ls ' + folder);",
  'security/detect-disable-mustache-escape':
    'export const use = (page: { escapeMarkup: boolean }) => { page.escapeMarkup = false; };',
  'security/detect-eval-with-expression': 'export const twice = (text: string) => eval(text + text);',
  'security/detect-new-buffer': 'export const made = (size: number) => new Buffer(size);',
  'security/detect-non-literal-regexp': 'export const find = (words: string) => new RegExp(words);',
  'security/detect-non-literal-require': 'export const load = (name: string) => require(name);',
  'security/detect-possible-timing-attacks':
    'export function isRight(password: string, given: string) {\n  if (password === given) return true;\n  return false;\n}',
  'security/detect-pseudoRandomBytes':
    "import crypto from 'node:crypto';\nexport const key = () => crypto.pseudoRandomBytes(32);",
  'gpuaas/slow-regexp': 'export const isMail = (text: string) => /^[^@]+@[^@]+\\.[^@]+$/.test(text);',
  'gpuaas/no-markup': 'export const show = (place: Element, text: string) => { place.innerHTML = text; };',
  'gpuaas/checked-peers': 'export const options = { rejectUnauthorized: false };',
  'gpuaas/strong-cryptography':
    "import { createHash } from 'node:crypto';\nexport const sum = (text: string) => createHash('md5').update(text).digest();",
  'gpuaas/guessable': 'export const token = () => Math.random().toString(36);',
};
