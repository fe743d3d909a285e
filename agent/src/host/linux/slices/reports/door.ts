import type { IncomingMessage, Server } from 'node:http';
import type { HostSample } from '../../../port.ts';
import { HostFailure } from '../../../port.ts';
import type { SliceRecord, SliceRecords } from '../records.ts';
import { gatewayOf, type SliceSettings } from '../settings.ts';
import { type ListenAt, listenAt, makeGuestServer } from './listen.ts';
import { guestPort, progressPath, telemetryPath } from './program.ts';
import { readProgress } from './progress.ts';
import { type GuestLook, mostReportBytes, readReport } from './sample.ts';
import { isToken, readToken } from './token.ts';

/**
 * Where the machines of slices report: HTTP at the address of the bridge. A machine is known by its address, which nobody else on the
 * bridge can use, and by its token. What it says is about itself alone, and informs: nothing here moves a slot or a charge.
 */
export interface GuestDoor {
  /** Listens, if it does not yet. The bridge has to be there. */
  open(): Promise<void>;
  /** What machines reported since the last call, each report once. */
  take(): HostSample[];
  close(): Promise<void>;
}
const ok = 204;
/** Requests of one machine, right or wrong: a few at once, and on average one in five seconds. It is to report every half minute. */
const allowance = { most: 12, everyMs: 5_000 };

interface Known {
  tokens: number;
  atMs: number;
  /** The last report, and of which slice: an address is used again. */
  last: { readonly allocationId: string; readonly look: GuestLook } | undefined;
}

export function makeGuestDoor(parts: {
  readonly records: SliceRecords;
  readonly settings: SliceSettings;
  readonly elapsedMs: () => number;
  readonly listen?: ListenAt;
}): GuestDoor {
  const { records, settings, elapsedMs, listen = listenAt } = parts;
  /** By address. There are no more of them than the network of slices has. */
  const known = new Map<string, Known>();
  const network = gatewayOf(settings).replace(/\d+$/, '');
  const reported = new Map<string, HostSample>();
  let opening: Promise<Server> | undefined;

  const isAllowed = (address: string): boolean => {
    const now = elapsedMs();
    const one = known.get(address) ?? { tokens: allowance.most, atMs: now, last: undefined };
    one.tokens = Math.min(allowance.most, one.tokens + (now - one.atMs) / allowance.everyMs);
    one.atMs = now;
    known.set(address, one);
    if (one.tokens < 1) return false;
    one.tokens -= 1;
    return true;
  };
  const senderOf = async (request: IncomingMessage, address: string): Promise<SliceRecord | undefined> => {
    const record = (await records.all()).find(({ names, state }) => names.address === address && state !== 'ended');
    const [, shown] = /^Bearer ([A-Za-z0-9_-]{1,100})$/.exec(request.headers.authorization ?? '') ?? [];
    if (!record || shown === undefined) return undefined;
    return isToken(shown, await readToken(records.folderOf(record.allocation_id))) ? record : undefined;
  };
  const takeSample = ({ allocation_id: allocationId, slots, names }: SliceRecord, text: string): number => {
    const mine = { allocationId, gpus: slots.map(({ gpu_uuid }) => gpu_uuid) };
    const one = known.get(names.address);
    const before = one?.last?.allocationId === allocationId ? one.last.look : undefined;
    const read = readReport(text, mine, before, elapsedMs());
    if (!read) return 400;
    if (one) one.last = { allocationId, look: read.look };
    reported.set(allocationId, read.sample);
    return ok;
  };
  /** What a machine says of its first boot counts until it is handed over. */
  const takeProgress = async ({ allocation_id: allocationId, state }: SliceRecord, text: string): Promise<number> => {
    const setup = readProgress(text);
    if (!setup) return 400;
    if (state !== 'making') return ok;
    await records.change(allocationId, (now) =>
      now?.state === 'making' && now.setup?.state !== 'failed' ? { ...now, setup } : now,
    );
    return ok;
  };
  const answer = async (request: IncomingMessage): Promise<number> => {
    const address = request.socket.remoteAddress ?? '';
    if (!address.startsWith(network)) return 401;
    // Before anything is looked up: a tenant is root in the machine and may send what they like as often as they like.
    if (!isAllowed(address)) return 429;
    const isReport = request.url === telemetryPath || request.url === progressPath;
    if (!isReport || request.method !== 'POST') return 404;
    const record = await senderOf(request, address);
    if (!record) return 401;
    const text = await bodyOf(request);
    if (text === undefined) return 413;
    return request.url === progressPath ? takeProgress(record, text) : takeSample(record, text);
  };
  return {
    async open() {
      opening ??= (async () => {
        const server = makeGuestServer(answer);
        await listen(server, { host: gatewayOf(settings), port: guestPort });
        return server;
      })();
      await opening.catch((error: unknown) => {
        opening = undefined;
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
        throw new HostFailure('host_not_ready', `Nothing can listen at ${gatewayOf(settings)}:${guestPort}: ${code}.`);
      });
    },
    take() {
      const taken = [...reported.values()];
      reported.clear();
      return taken;
    },
    async close() {
      const server = await opening?.catch(() => undefined);
      opening = undefined;
      server?.closeAllConnections();
      await new Promise<void>((resolve) => (server?.listening ? server.close(() => resolve()) : resolve()));
    },
  };
}

/** Undefined when it is longer than a report may be. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostReportBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
