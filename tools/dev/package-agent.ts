import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type AgentPackage,
  type Architecture,
  architectures,
  makeAgentPackages,
  type PackageKind,
} from '../lib/packages/agent-package.ts';
import { root } from '../lib/tree.ts';
import { bundleAgent } from './bundle-agent.ts';

/**
 * Makes the packages of the agent for hosts without Node: `npm run package-agent [-- --out DIR --version V --arch x64 --only deb]`.
 * The runtime comes from the pinned package of Node, so that the same sources give the same bytes.
 */
export async function packageAgent(order: {
  readonly version: string;
  readonly arch: Architecture;
  readonly only?: PackageKind;
}): Promise<readonly AgentPackage[]> {
  const node = join(root, 'node_modules', `node-linux-${order.arch}`);
  const runtime = await readFile(join(node, 'bin/node')).catch(() => {
    throw new Error(
      `node-linux-${order.arch} is not installed here: build the package on a machine of its architecture`,
    );
  });
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-package-'));
  try {
    const file = join(folder, 'node-agent.mjs');
    await bundleAgent(file, order.version);
    return await makeAgentPackages({
      ...order,
      bundle: await readFile(file),
      runtime,
      runtimeLicence: await readFile(join(node, 'LICENSE')),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { version: ours } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, 'dist') },
      version: { type: 'string', default: ours },
      arch: { type: 'string', default: process.arch },
      only: { type: 'string' },
    },
  });
  const arch = values.arch as Architecture;
  if (!Object.hasOwn(architectures, arch)) throw new Error(`${values.arch} is none of ${Object.keys(architectures)}`);
  const only = values.only as PackageKind | undefined;
  if (only !== undefined && only !== 'tarball' && only !== 'deb') throw new Error('--only takes tarball or deb');
  await mkdir(values.out, { recursive: true });
  for (const { name, bytes } of await packageAgent({ version: values.version, arch, ...(only && { only }) })) {
    await writeFile(join(values.out, name), bytes);
    console.log(`${join(values.out, name)}\nsha256:${createHash('sha256').update(bytes).digest('hex')}`);
  }
}
