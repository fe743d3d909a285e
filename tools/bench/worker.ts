import { join } from 'node:path';
import { startProgram } from './installation.ts';
import { loadCore, pinned } from './pin.ts';

/**
 * Parts of a benchmark that run in processes of their own. `main.ts` is the one program; it plays the part that it is
 * named. A part gets orders over IPC and answers once for each.
 */
export interface Worker {
  readonly pid: number;
  ask<T>(order: unknown): Promise<T>;
  stop(): Promise<void>;
}

export async function startWorker(part: string, options: { readonly pin?: boolean } = {}): Promise<Worker> {
  const member = await startProgram(join(import.meta.dirname, 'main.ts'), ['part', part]);
  if (options.pin) await pin(member.pid);
  return {
    pid: member.pid,
    stop: member.stop,
    ask: <T>(order: unknown) =>
      new Promise<T>((resolve, reject) => {
        const { child } = member;
        const onExit = () => reject(new Error(`${part} ended in the middle of its work`));
        child.once('exit', onExit);
        child.once('message', (answer: { readonly done?: T; readonly failed?: string }) => {
          child.off('exit', onExit);
          if (answer.failed !== undefined) reject(new Error(`${part}: ${answer.failed}`));
          else resolve(answer.done as T);
        });
        child.send(order as object);
      }),
  };
}

async function pin(pid: number): Promise<void> {
  const { execFile } = await import('node:child_process');
  const [program, flag, core] = pinned(loadCore, ['']);
  if (flag === undefined || core === undefined) return;
  await new Promise<void>((resolve, reject) =>
    execFile(program, ['-a', '-p', '-c', core, String(pid)], (error) => (error ? reject(error) : resolve())),
  );
}

/** A part that fails exits, and its parent notices. */
export function giveUp(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

/** The other end: answers each order, in turn, until the parent goes. */
export function serveOrders(work: (order: never) => Promise<unknown>): void {
  process.on('message', (order) => {
    work(order as never).then(
      (done) => process.send?.({ done: done ?? null }),
      (error: unknown) =>
        process.send?.({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.on('SIGTERM', () => process.exit(0));
  process.send?.({ ready: true });
}
