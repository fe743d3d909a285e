import type { Duplex } from 'node:stream';
import type { TaskOutput, TaskParams } from '@gpuaas/contract/node';
import { type Clock, sleepWell } from '../../clock.ts';
import type { Host, Work } from '../../host/port.ts';

type Ready = TaskOutput<'app.oci_ready'>;
const betweenMs = 250;
const answerMs = 5_000;
const failing = 500;
const longestDetail = 200;
const longestHead = 16_384;
const version = 'HTTP/1.';
const switching = 101;

/** Asks the container at its port until it answers, its time is over, or it does not run any more. */
export async function awaitReady(
  { host, clock }: { readonly host: Pick<Host, 'connectContainer' | 'containers'>; readonly clock: Clock },
  params: TaskParams<'app.oci_ready'>,
  work: Work,
): Promise<Ready> {
  const { allocation_id, workload_id, port, path } = params;
  const untilMs = clock.now().getTime() + params.wait_seconds * 1_000;
  for (;;) {
    const detail = await host
      .connectContainer({ allocationId: allocation_id, workloadId: workload_id, port })
      .then((socket) => (path === null ? touch(socket) : ask(socket, port, path)))
      .catch((error: unknown) => (error as Error).message);
    const isReady = detail === undefined;
    const isLast = isReady || clock.now().getTime() + betweenMs >= untilMs;
    const [workload = null] = await host.containers({ allocation_id, workload_id }, work);
    if (isLast || workload?.state !== 'running') {
      return { ready: isReady, detail: (detail ?? 'It answers.').slice(0, longestDetail), workload };
    }
    await sleepWell(clock, betweenMs, work.signal);
    work.signal.throwIfAborted();
  }
}

async function touch(socket: Duplex): Promise<undefined> {
  socket.destroy();
}

/**
 * Undefined when it answers; otherwise why not. The question is written out here, and of the answer its status alone is read: the
 * connection is the one that the host has made, and a library that could make others is not needed for it.
 */
function ask(socket: Duplex, port: number, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let heard = '';
    const end = (why: string | undefined) => {
      clearTimeout(timer);
      resolve(why);
      socket.destroy();
    };
    const timer = setTimeout(() => end('It did not answer in time.'), answerMs);
    socket.on('error', (error) => end(error.message));
    for (const event of ['end', 'close']) socket.once(event, () => end('It closed the connection without an answer.'));
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      const status = statusIn(heard);
      if (Number.isNaN(status) || heard.length > longestHead) return end('It does not answer in HTTP.');
      if (status !== undefined) end(status < failing ? undefined : `It answered ${status}.`);
    });
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\nconnection: close\r\n\r\n`);
  });
}

/** The status of an answer, once its head is whole; not a number when it is none of HTTP. */
function statusIn(heard: string): number | undefined {
  if (!heard.startsWith(version.slice(0, heard.length))) return Number.NaN;
  const blank = /\r?\n\r?\n/.exec(heard);
  if (!blank) return undefined;
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?!\d)/.exec(heard)?.[1]);
  // "Continue" and "early hints" come before the answer.
  const isEarly = status >= 100 && status < 200 && status !== switching;
  return isEarly ? statusIn(heard.slice(blank.index + blank[0].length)) : status;
}
