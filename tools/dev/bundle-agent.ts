import { createHash } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../lib/tree.ts';

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
    external: ['@lydell/node-pty'],
    define: { GPUAAS_AGENT_VERSION: JSON.stringify(version) },
    // Parts of the certificate library are CommonJS and ask for `require`, which a module does not have by itself.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as makeRequire } from 'node:module';\nconst require = makeRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  await chmod(outfile, 0o755);
  const digest = createHash('sha256')
    .update(await readFile(outfile))
    .digest('hex');
  return { digest };
}

if (import.meta.main) {
  const [outfile = join(root, 'dist/node-agent.mjs'), version = '0.1.0'] = process.argv.slice(2);
  const { digest } = await bundleAgent(outfile, version);
  console.log(`${outfile}\nsha256:${digest}`);
}
