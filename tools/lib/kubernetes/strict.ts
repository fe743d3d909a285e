import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../program.ts';
import { root } from '../tree.ts';

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: an object of Kubernetes has the shape of its kind
  readonly [field: string]: any;
}

/**
 * What is wrong with objects by the types of Kubernetes 1.30 (`kubernetes-types`): each is written as a literal of its type, and the
 * compiler finds fields that there are not, values of another type, and required fields that are missing. Rules between fields and
 * the formats of texts are the business of an API server, which this is not.
 */
export async function objectionsTo(objects: readonly KubernetesObject[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-objects-'));
  try {
    await writeFile(join(folder, 'objects.ts'), objects.map(literalOf).join(''));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const { code, stdout } = await runProgram(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false']);
    const lines = stdout.split('\n').filter((line) => line.includes('error TS'));
    if (code !== 0 && lines.length === 0) throw new Error(`the compiler ended with ${code}: ${stdout}`);
    return lines.map((line) => explain(line, objects));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const settings = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, types: [], module: 'esnext', moduleResolution: 'bundler' },
    paths: { 'kubernetes-types/*': [join(root, 'node_modules/kubernetes-types/*')] },
  },
  files: ['objects.ts'],
};

/** `apps/v1` is a folder of the package; objects without a group are in `core`. The API server has more names of groups. */
const moduleOf = (apiVersion: string): string => {
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  return `${group.replace(/\.k8s\.io$/, '')}/${version}`;
};

/** One object a line, so that the line of a message says which one it is about. */
const literalOf = (object: KubernetesObject, at: number): string =>
  `export const object${at}: import('kubernetes-types/${moduleOf(object.apiVersion)}').${object.kind} = ${JSON.stringify(object)};\n`;

function explain(message: string, objects: readonly KubernetesObject[]): string {
  const [, line = '', rest = message] = /objects\.ts\((\d+),\d+\): error TS\d+: (.*)$/.exec(message) ?? [];
  const object = objects[Number(line) - 1];
  return `${object?.kind} ${object?.metadata.name}: ${rest}`;
}
