#!/usr/bin/env node
/**
 * Starts the command line on a Node that can run it. Plain JavaScript, because it may be started by an older one: then
 * the Node that came with the installation takes over, with the same arguments, streams and signals.
 *
 * Help is answered right here from files that are emitted from the table of commands, so that it comes at once. That is
 * also why this is no ES module: to get those going takes Node longer than all of the help.
 */
const { readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const args = process.argv.slice(2);
const help = findHelp();

if (help !== undefined) print(Buffer.from(help));
else if (Number(process.versions.node.split('.')[0]) >= 24) run().catch(fail);
else handOver(join(__dirname, '..', '..', 'node_modules', '.bin', 'node'));

/** What was asked about, if it was a question that has an answer. Anything else is for the program to judge. */
function findHelp() {
  if (args[0] === '--version')
    return `${JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')).version}\n`;
  const asks = args[0] === 'help' || args.includes('--help') || args.includes('-h');
  if (!asks) return undefined;
  const said = args[0] === 'help' ? args.slice(1) : args;
  const end = said.findIndex((word) => word.startsWith('-'));
  const words = end < 0 ? said : said.slice(0, end);
  if (words.length === 0) return readFileSync(join(__dirname, 'help.txt'));
  const { commands, groups } = JSON.parse(readFileSync(join(__dirname, 'help.json'), 'utf8'));
  const whole = groups[words.join(' ')];
  if (whole !== undefined) return whole;
  for (let length = words.length; length > 0; length -= 1) {
    const found = commands[words.slice(0, length).join(' ')];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Written at once where that can be: to set up a stream takes longer than to write. */
function print(bytes) {
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(1, bytes, at);
  } catch (error) {
    if (error.code !== 'EPIPE') process.stdout.write(bytes.subarray(at));
  }
}

async function run() {
  keepCompiled();
  // Whoever read us has seen enough, as head does.
  process.stdout.on('error', (error) => (error.code === 'EPIPE' ? process.exit() : fail(error)));
  const { runCommandLine } = await import('../src/main.ts');
  // Set, not called: what is still being written gets out first.
  process.exitCode = await runCommandLine(args, process);
}

function fail(error) {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
}

/** What was made of the sources is kept for the next start, in the cache of whoever runs it and nobody else. */
function keepCompiled() {
  // biome-ignore lint/style/noProcessEnv: nothing is loaded yet that could hand it in
  const { XDG_CACHE_HOME, HOME } = process.env;
  const home = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
  if (home) require('node:module').enableCompileCache?.(join(home, 'gpuaas', 'compiled'));
}

function handOver(node) {
  if (!require('node:fs').existsSync(node)) {
    process.stderr.write(
      `gpuaas needs Node 24; this is ${process.versions.node}. Run npm install in the clone first.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const child = require('node:child_process').spawn(node, [__filename, ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', fail);
  child.on('close', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === 'SIGINT' ? 2 : 15);
  });
}
