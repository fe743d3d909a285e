import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SignersStatement, SignerVersion } from '@gpuaas/contract/node';
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
const hear = (signers: Opened, by: TestSigner, sequence: number, list: readonly SignerVersion[]) =>
  signers.hear(list, by.state(list, sequence));

describe('the keys that a node obeys', () => {
  it('are those of its enrolment, and each that the active one states', async () => {
    const [first, second, third] = [makeTestSigner(), makeTestSigner(), makeTestSigner()];
    const signers = await open();
    await signers.pin([first.version()]);
    expect(await hear(signers, first, 2, [second.after(first, 'staged'), first.version()])).toBe('taken');
    expect([obeys(signers, first), obeys(signers, second)]).toEqual([true, true]);
    // After a restart the same holds.
    const again = await open();
    const next = [third.after(second, 'active'), second.after(first, 'grace')];
    expect(await hear(again, third, 3, next)).toBe('taken');
    expect([first, second, third].map((one) => obeys(again, one))).toEqual([false, true, true]);
  });

  it('are found through changes that it missed, whatever the order of the list', async () => {
    const line = Array.from({ length: 5 }, () => makeTestSigner());
    const [first, ...others] = line as [TestSigner, ...TestSigner[]];
    const last = line[4] as TestSigner;
    const chain = others.map((one, at) => one.after(line[at] as TestSigner, at === 3 ? 'active' : 'retired'));
    for (const list of [
      [first.version('retired'), ...chain],
      [...chain.toReversed(), first.version('revoked')],
    ]) {
      const signers = await open();
      await signers.pin([first.version()]);
      expect(await hear(signers, last, 2, list)).toBe('taken');
      expect(line.map((one) => obeys(signers, one))).toEqual([false, false, false, false, true]);
      await rm(path());
    }
  });

  it('do not change by a list of strangers, however often it is sent', async () => {
    const [ours, evil] = [makeTestSigner(), makeTestSigner()];
    const signers = await open();
    await signers.pin([ours.version()]);
    const forged = [evil.version()];
    for (let time = 0; time < 3; time += 1) {
      expect(await hear(signers, evil, 2 + time, forged)).toBe('refused');
      expect(await signers.hear(forged)).toBe('refused');
      expect(await signers.hear([])).toBe('refused');
      expect([obeys(signers, ours), obeys(signers, evil)]).toEqual([true, false]);
    }
    expect([obeys(await open(), ours), obeys(await open(), evil)]).toEqual([true, false]);
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
      for (const voice of [evil, helper]) {
        const list = [ours.version('grace'), lie];
        expect({ at, heard: await hear(signers, voice, 2, list) }).toEqual({ at, heard: 'refused' });
        const statement: SignersStatement = { ...voice.state(list, 2), stated_by: lie.signer_version_id };
        expect({ at, heard: await signers.hear(list, statement) }).toEqual({ at, heard: 'refused' });
      }
      expect({ at, ours: obeys(signers, ours), evil: obeys(signers, evil) }).toEqual({ at, ours: true, evil: false });
    }
    const signers = await open();
    await signers.pin([ours.version()]);
    expect(await hear(signers, evil, 2, [ours.version('grace'), honest])).toBe('taken');
  });

  it('keep the state that the active one stated: nobody else can call a key revoked, or a retired one active', async () => {
    const [old, ours] = [makeTestSigner(), makeTestSigner()];
    const signers = await open();
    await signers.pin([ours.after(old), old.version('retired')]);
    const said = [ours.after(old), old.version('retired')];
    const statement = ours.state(said, 2);
    for (const edited of [
      [ours.after(old, 'revoked'), old.version('retired')],
      [ours.after(old), old.version('active')],
      [ours.after(old, 'grace'), old.version('active')],
      [ours.after(old)],
    ]) {
      expect(await signers.hear(edited, statement)).toBe('refused');
      expect(await hear(signers, old, 3, edited)).toBe('refused');
      expect([obeys(signers, old), obeys(signers, ours)]).toEqual([false, true]);
    }
    expect(await signers.hear(said, statement)).toBe('taken');
  });

  it('hand over when they are revoked, vouch for nobody after that, and stay revoked for ever', async () => {
    const [stolen, successor, evil] = [makeTestSigner(), makeTestSigner(), makeTestSigner()];
    const signers = await open();
    await signers.pin([stolen.version()]);
    const after = [successor.after(stolen, 'active'), stolen.version('revoked')];
    expect(await hear(signers, successor, 2, after)).toBe('taken');
    expect([obeys(signers, stolen), obeys(signers, successor)]).toEqual([false, true]);
    const forged = [...after, evil.after(stolen, 'active')];
    expect(await hear(signers, evil, 3, forged)).toBe('refused');
    expect(await hear(signers, stolen, 3, [stolen.version('active')])).toBe('refused');
    // Not even a list of the active key, or an enrolment, brings it back, under its own name or another.
    const back = [successor.after(stolen, 'active'), stolen.version('grace')];
    expect(await hear(signers, successor, 3, back)).toBe('taken');
    const other = { ...stolen.version(), signer_version_id: evil.version().signer_version_id };
    await (await open()).pin([...back, other]);
    const again = await open();
    expect([obeys(again, stolen), obeys(again, evil), obeys(again, successor)]).toEqual([false, false, true]);
  });

  it('are those of a thief of the active one for good: no revocation leads back, only a new enrolment', async () => {
    const [stolen, announced] = [makeTestSigner(), makeTestSigner()];
    const [successor, evil] = [makeTestSigner(), makeTestSigner()];
    const signers = await open();
    await signers.pin([stolen.version(), announced.after(stolen, 'staged')]);
    const astray = [evil.after(stolen, 'active'), stolen.version('grace'), announced.after(stolen, 'revoked')];
    expect(await hear(signers, evil, 2, astray)).toBe('taken');
    const ours = [successor.after(stolen, 'active'), stolen.version('revoked')];
    expect(await hear(signers, successor, 3, ours)).toBe('refused');
    expect([obeys(signers, evil), obeys(signers, successor)]).toEqual([true, false]);
    await signers.pin(ours);
    expect([evil, stolen, successor].map((one) => obeys(signers, one))).toEqual([false, false, true]);
    // What the thief called revoked stays so in this folder.
    await signers.pin([announced.after(stolen, 'active')]);
    expect(obeys(signers, announced)).toBe(false);
    await rm(path());
    const empty = await open();
    await empty.pin([announced.after(stolen, 'active')]);
    expect(obeys(empty, announced)).toBe(true);
  });

  it('end at the time at which they retire, to the millisecond', async () => {
    const ours = makeTestSigner();
    const signers = await open();
    await signers.pin([{ ...ours.version('grace'), retires_at: '2026-03-01T12:00:00.000Z' }]);
    const at = Date.parse('2026-03-01T12:00:00.000Z');
    const task = { ...ours.task({ nodeId: 'anybody' }) };
    expect([at - 1, at, at + 1].map((ms) => signers.judge(task, ms))).toEqual([
      ...['holds', 'unknown_signer', 'unknown_signer'],
    ]);
    // One that names no time goes on.
    await signers.pin([ours.version()]);
    expect(signers.judge(task, at + 1)).toBe('holds');
  });

  it('are told apart by the number of the list: the same is known, a lower one is old', async () => {
    const ours = makeTestSigner();
    const signers = await open();
    await signers.pin([ours.version()], ours.state([ours.version()], 5));
    expect(await hear(signers, ours, 5, [ours.version()])).toBe('known');
    expect(await hear(signers, ours, 4, [ours.version()])).toBe('old');
    expect(await hear(signers, ours, 6, [ours.version()])).toBe('taken');
    expect(await hear(signers, ours, 5, [ours.version()])).toBe('old');
  });

  it('are not taken from a list that names nobody, a key that is none, or a voice that is not active', async () => {
    const [ours, next] = [makeTestSigner(), makeTestSigner()];
    const signers = await open();
    await signers.pin([ours.version()]);
    const list = [ours.version('grace'), next.after(ours, 'active')];
    const nobody = { ...next.state(list, 2), stated_by: makeTestSigner().version().signer_version_id };
    expect(await signers.hear(list, nobody)).toBe('refused');
    const noKey = [ours.version('grace'), { ...next.after(ours, 'active'), public_key: 'no key' }];
    expect(await hear(signers, next, 2, noKey)).toBe('refused');
    expect(await hear(signers, ours, 2, [ours.version('grace')])).toBe('refused');
    const halfEndorsed = next.after(ours, 'active');
    for (const part of ['endorsed_by', 'endorsement'] as const) {
      const { [part]: _, ...rest } = halfEndorsed;
      expect(await hear(signers, next, 2, [ours.version('grace'), rest])).toBe('refused');
    }
    expect(obeys(signers, ours)).toBe(true);
  });

  it('are not reached in a circle of endorsements', async () => {
    const [ours, one, two] = [makeTestSigner(), makeTestSigner(), makeTestSigner()];
    const signers = await open();
    await signers.pin([ours.version()]);
    expect(await hear(signers, one, 2, [one.after(two, 'active'), two.after(one, 'grace')])).toBe('refused');
  });

  it('are nobody’s when what was written down cannot be read, until the node is enrolled again', async () => {
    const ours = makeTestSigner();
    for (const text of ['{"not": "a list"', '[]', '{"format":2}', '[{"signer_version_id":"x"}]']) {
      await writeFile(path(), text);
      const signers = await open();
      expect(signers.isAnchored).toBe(false);
      expect(await hear(signers, ours, 2, [ours.version()])).toBe('refused');
      expect(obeys(signers, ours)).toBe(false);
      await signers.pin([ours.version()]);
      expect([signers.isAnchored, obeys(signers, ours)]).toEqual([true, true]);
    }
  });

  it('are taken over from the file of an agent that kept a plain list', async () => {
    const [gone, ours, next] = [makeTestSigner(), makeTestSigner(), makeTestSigner()];
    await writeFile(path(), JSON.stringify([ours.after(gone), gone.version('revoked')]));
    const signers = await open();
    expect([obeys(signers, ours), obeys(signers, gone), signers.isAnchored]).toEqual([true, false, true]);
    expect(await hear(signers, next, 7, [next.after(ours), ours.after(gone, 'grace')])).toBe('taken');
    expect(JSON.parse(await readFile(path(), 'utf8'))).toMatchObject({ format: 2, sequence: 7 });
    expect(await hear(await open(), gone, 8, [gone.version()])).toBe('refused');
  });
});
