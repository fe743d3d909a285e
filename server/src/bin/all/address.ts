import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { UsageFault } from './options.ts';

const firstChoice = 8443;
const tries = 50;
export const host = '127.0.0.1';

/**
 * A port that no other start on this machine will choose until this one lets go of it. Between the choice and the moment
 * when the api listens lie seconds, in which another start would find the same port free.
 */
export interface ChosenPort {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * The first start takes the first free port; later ones take the same again, so that bookmarks and profiles of the
 * command line stay valid, and report when another program has it.
 */
export async function choosePort(dataDir: string, asked: number | undefined): Promise<ChosenPort> {
  const path = join(dataDir, 'port');
  const kept = Number(await readFile(path, 'utf8').catch(() => ''));
  if (asked !== undefined || kept > 0) {
    const port = asked ?? kept;
    const chosen = await claim(port);
    if (!chosen) {
      throw new UsageFault(
        asked === undefined
          ? `Port ${port}, which this data folder has used so far, is taken by another program. Stop that program, or choose another port: npm start -- --port ${port + 1}`
          : `Port ${port} is taken by another program.`,
      );
    }
    await writeFile(path, String(port));
    return chosen;
  }
  for (let port = firstChoice; port < firstChoice + tries; port += 1) {
    const chosen = await claim(port);
    if (!chosen) continue;
    await writeFile(path, String(port));
    return chosen;
  }
  throw new UsageFault(
    `The ports ${firstChoice} to ${firstChoice + tries - 1} are all taken. Choose one: npm start -- --port 9000`,
  );
}

const firstNodeChoice = 9443;

/** The address for nodes. They get it at enrolment, so it stays the same while it is free. */
export const chooseNodePort = (dataDir: string): Promise<ChosenPort> =>
  chooseKeptPort(dataDir, 'node-port', firstNodeChoice);

/** The port of the last start, which a file of the data folder keeps, or the first free one from `first` on. */
export async function chooseKeptPort(dataDir: string, file: string, first: number): Promise<ChosenPort> {
  const path = join(dataDir, file);
  const kept = Number(await readFile(path, 'utf8').catch(() => ''));
  const choices = [...(kept > 0 ? [kept] : []), ...Array.from({ length: tries }, (_, at) => first + at)];
  for (const port of choices) {
    const chosen = await claim(port);
    if (!chosen) continue;
    await writeFile(path, String(port));
    return chosen;
  }
  throw new UsageFault(`The ports ${first} to ${first + tries - 1} (${file}) are all taken.`);
}

/**
 * The sign that others look for is a socket with a name and no file: one process can have it, and it goes with that
 * process, however it ends. Where there are no such sockets, starts that begin together may still meet.
 */
async function claim(port: number): Promise<ChosenPort | undefined> {
  const sign = createServer();
  const outcome = await new Promise<'held' | 'taken' | 'unknown'>((resolve) => {
    sign.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE' ? 'taken' : 'unknown'));
    sign.listen(`\0gpuaas-start-${port}`, () => resolve('held'));
  });
  sign.unref();
  const close = async () => {
    if (sign.listening) await new Promise<void>((resolve) => sign.close(() => resolve()));
  };
  if (outcome !== 'taken' && (await isFree(port))) return { port, close };
  await close();
  return undefined;
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
