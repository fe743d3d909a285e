import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readUntil } from '../../conformance-rig.ts';
import { isRoot, unusedUids } from './guest.ts';
import { type Guests, makeGuests } from './guests.ts';

const guest = { hostname: 'machine', banner: 'hello', programs: {} };
const folders: string[] = [];
const made: Guests[] = [];
afterEach(async () => {
  for (const guests of made.splice(0)) await guests.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** Guests of a host that knows nothing of the others on this computer, with few ids to choose from. */
async function openGuest() {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-guests-'));
  folders.push(folder);
  await chmod(folder, 0o711);
  const guests = makeGuests(join(folder, 'guests'), { first: unusedUids.first, count: 8 });
  made.push(guests);
  const allocationId = randomUUID();
  const shell = await guests.open({ allocationId, username: 'ada', columns: 80, rows: 24 }, guest);
  await shell.write(Buffer.from('echo "id"-$(id -u).\n'));
  const uid = Number(/id-(\d+)\./.exec(await readUntil(shell, /id-\d+\./))?.[1]);
  return { guests, allocationId, pty: shell, uid };
}

it('ends the guests of one simulated host and no guest of another on the same computer', async () => {
  const [one, other] = [await openGuest(), await openGuest()];
  expect(one.uid === other.uid).toBe(!isRoot());
  await one.guests.end(one.allocationId, true);
  await one.pty.exited;
  await other.pty.write(Buffer.from('echo "still"-here\n'));
  expect(await readUntil(other.pty, /still-here/)).toContain('still-here');
});
