#!/usr/bin/env node
/**
 * Starts the command line on a Node that can run it. Plain JavaScript, because it may be started by an older one: then
 * the Node that came with the installation takes over, with the same arguments, streams and signals.
 */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(realpathSync(fileURLToPath(import.meta.url)));
const main = join(here, '..', 'src', 'main.ts');
const runsTypeScript = Number(process.versions.node.split('.')[0]) >= 24;

if (runsTypeScript) {
  const { runCommandLine } = await import(main);
  // Set, not called: what is still being written gets out first.
  process.exitCode = await runCommandLine(process.argv.slice(2), process);
} else {
  const node = join(here, '..', '..', 'node_modules', '.bin', 'node');
  if (existsSync(node)) {
    const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.on('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    });
    child.on('close', (code, signal) => {
      process.exitCode = code ?? 128 + (signal === 'SIGINT' ? 2 : 15);
    });
  } else {
    process.stderr.write(
      `gpuaas needs Node 24; this is ${process.versions.node}. Run npm install in the clone first.\n`,
    );
    process.exitCode = 1;
  }
}
