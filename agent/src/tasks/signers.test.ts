import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SignerVersion } from '@gpuaas/contract/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDisk } from '../disk.ts';
import { makeTestSigner, type TestSigner } from '../testing/signer.ts';
import { openSigners } from './signers.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-signers-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const path = () => join(folder, 'signers.json');
const open = () => openSigners({ disk: makeDisk({ forced: false }), path: path() });
type Opened = Awaited<ReturnType<typeof open>>;
const obeys = (signers: Opened, signer: TestSigner) =>
  signers.judge({ ...signer.task({ nodeId: 'anybody' }) }, Date.now()) === 'holds';

describe('the keys that a node obeys', () => {
  it('are those of its enrolment, and each that one of them vouches for [SEC-02]', async () => {
    const [first, second, third] = [makeTestSigner(), makeTestSigner(), makeTestSigner()];
    const signers = await open();
    await signers.pin([first.version()]);
    expect(await signers.hear([second.after(first, 'staged'), first.version()])).toBe(0);
    expect([obeys(signers, first), obeys(signers, second)]).toEqual([true, true]);
    // After a restart the same holds.
    const again = await open();
    expect(await again.hear([third.after(second, 'active'), second.after(first, 'grace')])).toBe(0);
    expect([first, second, third].map((one) => obeys(again, one))).toEqual([false, true, true]);
  });

  it('are found through changes that it missed, whatever the order of the list', async () => {
    const line = Array.from({ length: 5 }, () => makeTestSigner());
    const [first, ...others] = line as [TestSigner, ...TestSigner[]];
    const chain = others.map((one, at) => one.after(line[at] as TestSigner, at === 3 ? 'active' : 'retired'));
    for (const list of [chain, chain.toReversed()]) {
      await rm(path(), { force: true });
      const signers = await open();
      await signers.pin([first.version()]);
      expect(await signers.hear(list)).toBe(0);
      expect(line.map((one) => obeys(signers, one))).toEqual([false, false, false, false, true]);
    }
  });

  it('are never those of a stranger, whatever a list says of them', async () => {
    const [ours, evil, helper] = [makeTestSigner(), makeTestSigner(), makeTestSigner()];
    const honest = evil.after(ours, 'active');
    const lies: readonly SignerVersion[] = [
      evil.version(),
      evil.after(evil),
      evil.after(helper),
      // The word of somebody else under our name, our word about somebody else, and our name with another key.
      { ...evil.version(), ...evil.endorse(evil.version()), endorsed_by: ours.version().signer_version_id },
      { ...evil.version(), ...ours.endorse(helper.version()) },
      { ...evil.version(), signer_version_id: ours.version().signer_version_id },
      { ...honest, endorsement: 'A'.repeat(86) },
      { ...honest, public_key: helper.version().public_key },
    ];
    for (const [at, lie] of lies.entries()) {
      const signers = await open();
      await signers.pin([ours.version()]);
      expect({ at, unknown: await signers.hear([ours.version(), lie]) }).toEqual({ at, unknown: 1 });
      expect({ at, ours: obeys(signers, ours), evil: obeys(signers, evil) }).toEqual({ at, ours: true, evil: false });
    }
    const signers = await open();
    await signers.pin([ours.version()]);
    expect(await signers.hear([honest])).toBe(0);
  });

  it('hand over when they are revoked, and vouch for nobody after that', async () => {
    const [stolen, successor, evil] = [makeTestSigner(), makeTestSigner(), makeTestSigner()];
    const signers = await open();
    await signers.pin([stolen.version()]);
    const after = [successor.after(stolen, 'active'), stolen.version('revoked')];
    expect(await signers.hear(after)).toBe(0);
    expect([obeys(signers, stolen), obeys(signers, successor)]).toEqual([false, true]);
    expect(await signers.hear([...after, evil.after(stolen, 'active')])).toBe(1);
    expect(obeys(signers, evil)).toBe(false);
  });

  it('are those that are heard first when what was written down cannot be read', async () => {
    await writeFile(path(), '{"not": "a list"');
    const [ours, evil] = [makeTestSigner(), makeTestSigner()];
    const signers = await open();
    expect(obeys(signers, ours)).toBe(false);
    expect(await signers.hear([ours.version()])).toBe(0);
    expect(await signers.hear([ours.version(), evil.version()])).toBe(1);
    expect([obeys(signers, ours), obeys(signers, evil)]).toEqual([true, false]);
  });
});
