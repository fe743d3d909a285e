import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChildOrders } from './child.ts';

/** Workers in processes of their own, which a test may kill. */
export function makeWorkers() {
  const children = new Set<ChildProcess>();
  return {
    killAll() {
      for (const child of children) child.kill('SIGKILL');
      children.clear();
    },
    /** A worker in a process of its own. `said` are the steps that it was in; `hears` resolves once it says a word. */
    async spawnWorker(orders: ChildOrders) {
      const program = fileURLToPath(new URL('./child.ts', import.meta.url));
      const child = fork(program, [JSON.stringify(orders)], { execArgv: ['--no-warnings'] });
      children.add(child);
      const said: string[] = [];
      const hears = (word: string) =>
        new Promise<void>((resolve, reject) => {
          const check = () => said.includes(word) && resolve();
          child.on('message', check);
          child.once('exit', (code) => reject(new Error(`the worker ended with ${code} before it said ${word}`)));
          check();
        });
      child.on('message', (word) => said.push(String(word)));
      await hears('ready');
      return { child, said: () => said.filter((word) => word !== 'ready'), hears };
    },
  };
}

export const exitOf = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
