import { readFile, stat } from 'node:fs/promises';
import { type AppManifest, checkManifest, largestManifestBytes } from '@gpuaas/contract/apps';
import { parseDocument } from 'yaml';
import { exitCodes, Failure, usageFailure } from '../failure.ts';

/** YAML with comments may be larger than the manifest that it says. */
const largestFileBytes = 4 * largestManifestBytes;

/** A file as plain data. Aliases are refused, so a small file cannot become a large one. */
export function readYaml(text: string, path: string): unknown {
  if (Buffer.byteLength(text) > largestFileBytes)
    throw usageFailure(`${path} is larger than ${largestFileBytes} bytes.`);
  const document = parseDocument(text, { schema: 'core', uniqueKeys: true, merge: false, prettyErrors: true });
  const [first] = document.errors;
  if (first) throw usageFailure(`${path} is not YAML: ${first.message.split('\n')[0]}`);
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw usageFailure(`${path} has an alias (*name). Write the value out: manifests have no aliases.`);
  }
}

/** The same with another image; what is no manifest stays as it is and is refused for that. */
function withImage(written: unknown, image: string): unknown {
  const { runtime, ...rest } = (written ?? {}) as { readonly runtime?: object };
  return { ...rest, runtime: { ...runtime, image } };
}

export async function readText(path: string, next?: string): Promise<string> {
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined) throw usageFailure(`There is no file ${path}.`, next);
  if (size > largestFileBytes) throw usageFailure(`${path} is larger than ${largestFileBytes} bytes.`);
  return readFile(path, 'utf8');
}

/** The manifest of a file, with another image if one is given, or a failure that lists what is wrong with it. */
export async function readManifest(path: string, image?: string): Promise<AppManifest> {
  const written = readYaml(await readText(path, 'gpuaas app init SLUG writes a manifest to begin with.'), path);
  const checked = checkManifest(image === undefined ? written : withImage(written, image));
  if ('manifest' in checked) return checked.manifest;
  const lines = checked.problems.map(({ field, message }) => `  ${field === '' ? 'the manifest' : field}: ${message}`);
  throw new Failure(exitCodes.failed, `${path} is no manifest of an app:\n${lines.join('\n')}`, {
    next: 'docs/guides/publish-an-app.md explains every section.',
  });
}
