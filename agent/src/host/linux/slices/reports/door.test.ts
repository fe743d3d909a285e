import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDisk } from '../../../../disk.ts';
import { makeSliceRecords, type SliceRecords } from '../records.ts';
import { namesOf, usualSlices } from '../settings.ts';
import { type GuestDoor, makeGuestDoor } from './door.ts';
import { guestPort, progressPath, telemetryPath } from './program.ts';
import { mostReportBytes } from './sample.ts';
import { tokenOf } from './token.ts';

/** Addresses of this machine stand for the bridge and for the machines on it. */
const settings = { ...usualSlices, network: '127.77.31.0/24' };
const gateway = '127.77.31.1';
const gpuOf = (slot: number) => `GPU-00000000-0000-4000-8000-00000000000${slot}`;
const stat = (busy: number, idle: number) => `== stat\ncpu  ${busy} 0 0 ${idle} 0 0 0 0\n`;
const rowOf = (uuid: string, utilization: string | number) =>
  `${uuid}, 00000000:17:00.0, ${utilization}, 12, 1024, 143771, 210.5, 700, 44, 50, 1410, 2619, 0, 0, 0x0\n`;
const report = (slot: number, utilization: string | number = 37) =>
  `== gpus\n${rowOf(gpuOf(slot), utilization)}${stat(100, 300)}== meminfo\nMemTotal: 2048 kB\nMemAvailable: 1024 kB\n== disk\n/dev/vda1 4096 1024 3072 25% /\n`;

let folder: string;
let records: SliceRecords;
let door: GuestDoor;
let elapsedMs: number;
const ids = [randomUUID(), randomUUID()] as const;
const tokens: string[] = [];
const addressOf = (slot: number) => namesOf(settings, 'a machine', slot).address;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-door-'));
  elapsedMs = 0;
  records = makeSliceRecords({ disk: makeDisk({ forced: false }), folder });
  for (const [slot, id] of ids.entries()) {
    tokens[slot] = await tokenOf(records.folderOf(id));
    await records.change(id, () => ({
      allocation_id: id,
      generation: 1,
      slots: [
        {
          slot_id: randomUUID(),
          slot_index: slot,
          gpu_uuid: gpuOf(slot),
          pci_address: `0000:1${slot}:00.0`,
          fabric_vf_pci_address: null,
          nvme_device: null,
          mac_address: '02:00:00:00:00:00',
          private_ip: addressOf(slot),
          numa_node: 0,
        },
      ],
      login: { username: 'ada', uid: 20_001, gid: 20_001 },
      state: 'making' as const,
      names: namesOf(settings, 'a machine', slot),
      disk_clean: null,
      durations_ms: {},
    }));
  }
  door = makeGuestDoor({ records, settings, elapsedMs: () => elapsedMs });
  await door.open();
});
afterEach(async () => {
  await door.close();
  await rm(folder, { recursive: true, force: true });
});

/** Sends as the machine of a slot would, and answers the status; 0 when the door hung up. */
const post = (slot: number, path: string, body: string, token = tokens[slot]): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: gateway, port: guestPort, localAddress: addressOf(slot) });
    let said = '';
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(said)?.[1] ?? 0)));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? undefined : reject(error),
    );
    socket.write(
      `POST ${path} HTTP/1.0\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });

describe('a report of a machine', () => {
  it('is passed on once, as its own values, with rates from the second on', async () => {
    expect(await post(0, telemetryPath, report(0))).toBe(204);
    expect(door.take()).toEqual([
      {
        source: 'guest',
        allocation_id: ids[0],
        gpus: [gpuOf(0)],
        host: { memory_total_mib: 2, memory_used_mib: 1, disk_total_mib: 4, disk_used_mib: 1 },
        gpu: expect.objectContaining({ utilization: [37], power_watts: [210.5], throttle: [0] }),
      },
    ]);
    expect(door.take()).toEqual([]);
    elapsedMs += 30_000;
    await post(0, telemetryPath, report(0).replace('cpu  100 0 0 300', 'cpu  130 0 0 370'));
    expect(door.take()[0]?.host).toMatchObject({ cpu_percent: 30 });
  });

  it('names no GPU of another slice, and no number that cannot be', async () => {
    const rows = `${rowOf(gpuOf(1), 99)}${rowOf(gpuOf(0), '999999999999999')}${rowOf(gpuOf(0), 5)}`;
    const huge = `== gpus\n${rows.replaceAll(', 0x0\n', ', 0xffffffffffffffff\n')}${stat(1, 1)}== disk\nx 999999999999999 1 1 1% /\n`;
    expect(await post(0, telemetryPath, huge)).toBe(204);
    const [sample] = door.take();
    expect(sample?.gpus).toEqual([gpuOf(0)]);
    expect(sample?.gpu.utilization).toEqual([999_999_999_999_999]);
    expect(sample?.gpu.throttle).toEqual([null]);
  });

  it('without a GPU says that there are no values of them, and why', async () => {
    await post(0, telemetryPath, `== gpus\nNo devices were found\n${stat(1, 1)}`);
    expect(door.take()).toMatchObject([{ gpus: [], unavailable: expect.stringContaining('names none of its GPUs') }]);
  });

  it('is refused when it is none, or is too long', async () => {
    expect(await post(0, telemetryPath, '{"gpus": "all"}')).toBe(400);
    expect([413, 0]).toContain(await post(0, telemetryPath, `${stat(1, 1)}${'x'.repeat(mostReportBytes)}`));
    expect(door.take()).toEqual([]);
  });
});

describe('the door', () => {
  it('knows a machine by its address and its token together', async () => {
    expect(await post(0, telemetryPath, report(0), tokens[1])).toBe(401);
    expect(await post(1, telemetryPath, report(1), tokens[0])).toBe(401);
    expect(await post(0, telemetryPath, report(0), '')).toBe(401);
    expect(await post(5, telemetryPath, report(0), tokens[0])).toBe(401);
    expect(door.take()).toEqual([]);
    await records.change(ids[0], (now) => now && { ...now, state: 'ended' as const });
    expect(await post(0, telemetryPath, report(0))).toBe(401);
  });

  it('listens at the address of the bridge alone, and has no other pages', async () => {
    const elsewhere = await new Promise<string>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: guestPort });
      socket.on('connect', () => resolve('connected'));
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });
    expect(elsewhere).toBe('ECONNREFUSED');
    expect(await post(0, '/', report(0))).toBe(404);
  });

  it('takes a few reports at once and then one in five seconds, of each machine by itself', async () => {
    const answers: number[] = [];
    for (let n = 0; n < 14; n += 1) answers.push(await post(0, telemetryPath, report(0)));
    expect(answers).toEqual([...Array.from({ length: 12 }, () => 204), 429, 429]);
    expect(await post(1, telemetryPath, report(1))).toBe(204);
    elapsedMs += 5_000;
    expect(await post(0, telemetryPath, report(0))).toBe(204);
    expect(await post(0, telemetryPath, report(0))).toBe(429);
  });

  it('counts what a machine sends with a wrong token or by a wrong path, and reads no record for it any more', async () => {
    let reads = 0;
    const counted: SliceRecords = {
      ...records,
      all() {
        reads += 1;
        return records.all();
      },
    };
    await door.close();
    door = makeGuestDoor({ records: counted, settings, elapsedMs: () => elapsedMs });
    await door.open();
    const answers: number[] = [];
    for (let n = 0; n < 14; n += 1) answers.push(await post(0, telemetryPath, report(0), 'wrong'));
    expect(answers).toEqual([...Array.from({ length: 12 }, () => 401), 429, 429]);
    expect(reads).toBe(12);
    for (let n = 0; n < 13; n += 1) answers.push(await post(1, '/elsewhere', ''));
    expect(answers.slice(-2)).toEqual([404, 429]);
    elapsedMs += 5_000;
    expect(await post(0, telemetryPath, report(0))).toBe(204);
  });

  it('gives a machine that holds connections open no room of others', async () => {
    const held = Array.from({ length: 20 }, () =>
      connect({ host: gateway, port: guestPort, localAddress: addressOf(0) }).on('error', () => undefined),
    );
    await expect.poll(() => held.filter(({ destroyed }) => destroyed).length).toBe(16);
    expect(await post(1, telemetryPath, report(1))).toBe(204);
    for (const socket of held) socket.destroy();
  });
});

describe('the first boot', () => {
  const setup = async (slot: number) => (await records.get(ids[slot] ?? ''))?.setup;

  it('is kept with its reason, as words that can be printed, and a failure is not taken back', async () => {
    expect(await post(0, progressPath, 'driver began')).toBe(204);
    expect(await setup(0)).toEqual({ phase: 'driver', state: 'began', reason: '' });
    expect(await post(0, progressPath, `driver failed the mirror\u001b[2J is away ${'x'.repeat(500)}`)).toBe(204);
    const failed = await setup(0);
    expect(failed).toMatchObject({ phase: 'driver', state: 'failed' });
    expect(failed?.reason).toMatch(/^the mirror\[2J is away x{100,}$/);
    expect(failed?.reason.length).toBe(200);
    expect(await post(0, progressPath, 'setup done')).toBe(204);
    expect((await setup(0))?.state).toBe('failed');
    expect(await setup(1)).toBeUndefined();
  });

  it('changes nothing any more once the machine is handed over', async () => {
    await records.change(ids[0], (now) => now && { ...now, state: 'running' as const });
    expect(await post(0, progressPath, 'driver failed I am root here')).toBe(204);
    expect(await setup(0)).toBeUndefined();
  });

  it.each(['driver', 'Driver failed', 'driver broke', 'driver failed a\nb'])('is refused as %j', async (text) => {
    expect(await post(0, progressPath, text)).toBe(400);
  });
});
