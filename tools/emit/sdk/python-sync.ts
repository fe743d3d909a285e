import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The Python SDK is written once, to be awaited, and this makes the same of it to be called. Python has the same words
 * for both, with a letter or a word more on one side, so that a list of words is all it takes.
 */
const words: readonly (readonly [RegExp, string])[] = [
  [/^ *# to await only:\n[\s\S]*?^ *# end\n\n?/gm, ''],
  [/\basync (?=def |with |for )/g, ''],
  [/\bawait /g, ''],
  [/\bAwaitable\[None\]/g, 'None'],
  [/\bAwaitable, /g, ''],
  [/\bAsync(?=[A-Z])/g, ''],
  [/\bimport asyncio\b/g, 'import time'],
  [/\basyncio\.sleep\b/g, 'time.sleep'],
  [/\b__a(?=(?:enter|exit|iter)__)/g, '__'],
  [/\ba(?=(?:close|closing|read|iter_text)\b)/g, ''],
  [/\basync_api\b/g, 'api'],
];

export const toCall = (source: string): string => words.reduce((text, [from, to]) => text.replaceAll(from, to), source);

/** Every file of the folder that is written to be awaited, to be called. */
export function emitPythonToCall(folder: string): ReadonlyMap<string, string> {
  const head = '# Emitted from what is written to be awaited, in _aio, by `npm run gen`; changes are lost.\n';
  const files = readdirSync(folder).filter((name) => name.endsWith('.py'));
  return new Map(files.map((name) => [name, head + toCall(readFileSync(join(folder, name), 'utf8'))]));
}
