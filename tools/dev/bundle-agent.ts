import { createHash } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../lib/tree.ts';

/** Parts of the certificate and SSH libraries are CommonJS and ask for names that a module does not have by itself. */
const commonJsBanner = `#!/usr/bin/env node
import { createRequire as makeRequire } from 'node:module';
const require = makeRequire(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

/**
 * Makes one file of the agent: `node tools/dev/bundle-agent.ts [file] [version]`. It runs on a host that has Node and
 * nothing else; terminals need a native library beside it and are refused without one.
 */
export async function bundleAgent(outfile: string, version: string): Promise<{ readonly digest: string }> {
  await build({
    entryPoints: [join(root, 'agent/src/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    // The SSH library asks for cpu-features and does without it; it has to be compiled, so a bundle has none.
    external: ['@lydell/node-pty', 'cpu-features'],
    define: { GPUAAS_AGENT_VERSION: JSON.stringify(version) },
    banner: { js: commonJsBanner },
    logLevel: 'warning',
  });
  await chmod(outfile, 0o755);
  const digest = createHash('sha256')
    .update(await readFile(outfile))
    .digest('hex');
  return { digest };
}

if (import.meta.main) {
  const { version: ours } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const [outfile = join(root, 'dist/node-agent.mjs'), version = ours] = process.argv.slice(2);
  const { digest } = await bundleAgent(outfile, version);
  console.log(`${outfile}\nsha256:${digest}`);
}
