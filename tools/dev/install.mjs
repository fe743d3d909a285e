/**
 * The whole set-up. `npm start` and `npm test` call this first, on whatever Node the machine has and before anything is
 * installed, so it is plain JavaScript and imports nothing but Node.
 *
 * It installs exactly what the lockfile says, runs no package's script, and brings Node 24 along as a package: npm puts
 * node_modules/.bin first on the path, so the script that follows runs on it. When nothing is missing it says nothing
 * and needs no network.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const lockfile = join(root, 'package-lock.json');
const modules = join(root, 'node_modules');
const marker = join(modules, '.installed');
const bundledNode = join(modules, '.bin', 'node');
const cache = join(root, '.cache');
const queue = join(cache, 'install.lock');

const wanted = createHash('sha256').update(readFileSync(lockfile)).digest('hex');

class SetUpFailed extends Error {}

/** The marker is removed first and written last: a marker that fits means a finished installation. */
function isInstalled() {
  if (read(marker) === wanted) return true;
  if (!matchesLockfile()) return false;
  mark();
  return true;
}

/** What npm recorded about node_modules is compared with the lockfile, package by package. */
const matchesLockfile = () => differing()?.length === 0;

/** Packages that are not as the lockfile says; nothing where npm has recorded nothing. */
function differing() {
  const recorded = read(join(modules, '.package-lock.json'));
  if (recorded === undefined) return undefined;
  const present = JSON.parse(recorded).packages;
  const locked = Object.entries(JSON.parse(readFileSync(lockfile, 'utf8')).packages);
  const isAsLocked = ([path, entry]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true;
    if (entry.link) return existsSync(join(root, path));
    if (entry.optional && present[path] === undefined) return !isForThisMachine(entry);
    return present[path]?.version === entry.version && present[path]?.integrity === entry.integrity;
  };
  return locked.filter((each) => !isAsLocked(each)).map(([path]) => path);
}

function isForThisMachine(entry) {
  const allows = (list, value) => list === undefined || list.includes(value);
  // A package for another C library carries `libc`; we do not know ours here, so its absence proves nothing.
  return (
    entry.os !== undefined &&
    entry.libc === undefined &&
    allows(entry.os, process.platform) &&
    allows(entry.cpu, process.arch)
  );
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Failing to leave the marker (a read-only tree) costs a comparison next time, nothing else. */
function mark() {
  try {
    writeFileSync(marker, wanted);
  } catch {
    return;
  }
}

/** Two starts at once: one installs, the other waits. The lock lies outside node_modules, which npm owns. */
async function alone(work) {
  mkdirSync(cache, { recursive: true });
  for (let waited = false; ; waited = true) {
    try {
      const file = openSync(queue, 'wx');
      writeSync(file, String(process.pid));
      closeSync(file);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const holder = read(queue);
      if (!isAlive(Number(holder))) {
        // Someone else may have taken the abandoned lock since; theirs has another number in it.
        if (read(queue) === holder) rmSync(queue, { force: true });
      } else if (!waited) process.stdout.write('gpuaas: waiting for another installation in this folder\n');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  try {
    return await work();
  } finally {
    rmSync(queue, { force: true });
  }
}

/** An empty lock belongs to someone between two system calls; it counts as alive. */
function isAlive(pid) {
  if (pid === 0 || Number.isNaN(pid)) return existsSync(queue);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * npm that runs us, on the Node that runs it: the one in node_modules is about to be replaced.
 * @returns {[string, string[]]}
 */
function npmCommand() {
  const script = process.env.npm_execpath;
  const node = process.env.npm_node_execpath;
  if (script && node && existsSync(script) && existsSync(node)) return [node, [script]];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', []];
}

/** npm keeps downloads under HOME; where there is none to write to, they go beside the tree. */
function cacheOptions() {
  try {
    accessSync(homedir(), constants.W_OK);
    return [];
  } catch {
    return ['--cache', join(cache, 'npm')];
  }
}

async function install() {
  const began = Date.now();
  rmSync(marker, { force: true });
  process.stdout.write('gpuaas: installing packages (about a minute the first time) ... ');
  const [program, args] = npmCommand();
  // `npm ci` would refuse a lockfile that was written where a registry lacks the packages of some other platform.
  // This takes the same versions, changes neither file, and what it left is compared with the lockfile afterwards.
  const options = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn(program, [...args, ...options, ...cacheOptions()], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const note = (chunk) => {
    said = (said + chunk).slice(-8_000);
  };
  child.stdout.on('data', note);
  child.stderr.on('data', note);
  const code = await new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new SetUpFailed(error.code === 'ENOENT' ? 'npm was not found on the path.' : error.message)),
    );
    child.once('close', resolve);
  });
  if (code !== 0) {
    throw new SetUpFailed(
      `npm ended with ${code}.\n\n${said.trim()}\n\nIs the npm registry reachable, and is there space on the disk? Run it again then.`,
    );
  }
  const wrong = differing() ?? ['everything'];
  if (wrong.length > 0) {
    throw new SetUpFailed(
      `npm installed something else than package-lock.json says: ${wrong.slice(0, 3).join(', ')}` +
        `${wrong.length > 3 ? ` and ${wrong.length - 3} more` : ''}. Do package.json and package-lock.json belong together?`,
    );
  }
  mark();
  process.stdout.write(`done in ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
}

const major = (version) => Number(/^v(\d+)/.exec(version)?.[1] ?? 0);

/** Either the packaged Node runs here, or the machine's own must be new enough. */
async function checkNode() {
  if (existsSync(bundledNode)) {
    if (process.execPath.startsWith(modules) || major(await versionOf(bundledNode)) >= 24) return;
    // It is for another C library. It must not stand first on the path, before a Node that works.
    rmSync(bundledNode, { force: true });
  }
  if (major(process.version) >= 24) return;
  throw new SetUpFailed(
    `Node 24 or newer is needed, and there is no package of it for ${process.platform}-${process.arch}` +
      ` (this machine has ${process.version}).\nInstall Node 24 from your system or a version manager, then run this again.`,
  );
}

/** Empty when it cannot run at all. */
function versionOf(program) {
  return new Promise((resolve) => {
    const child = spawn(program, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    child.once('error', () => resolve(''));
    child.once('close', (code) => resolve(code === 0 ? said : ''));
  });
}

try {
  if (!isInstalled()) {
    await alone(async () => {
      if (!isInstalled()) await install();
    });
  }
  await checkNode();
} catch (error) {
  if (!(error instanceof SetUpFailed)) throw error;
  process.stderr.write(`\ngpuaas: the set-up failed. ${error.message}\n`);
  process.exitCode = 1;
}
