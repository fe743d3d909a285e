import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SignerState, SignersStatement, SignerVersion } from '@gpuaas/contract/node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDisk } from '../disk.ts';
import { makeTestSigner, type TestSigner } from '../testing/signer.ts';
import { openSigners, type Signers } from './signers.ts';

/**
 * A control plane that rotates and revokes keys, a node that hears some of its lists, and somebody on the line between
 * them who plays old lists again, edits them, and makes lists of his own. He has keys of his own, and the private half of
 * every key that the node knows to be superseded, retired or revoked.
 */
interface Key {
  readonly signer: TestSigner;
  readonly by: TestSigner | undefined;
  state: SignerState;
}
interface List {
  readonly signers: readonly SignerVersion[];
  readonly statement: SignersStatement;
}
type Step =
  | { readonly do: 'rotate' | 'activate' | 'retire' | 'restart' | 'tell' }
  | { readonly do: 'revoke' | 'replay'; readonly pick: number }
  | { readonly do: 'forge'; readonly pick: number; readonly states: readonly SignerState[]; readonly way: number };

const states: readonly SignerState[] = ['staged', 'active', 'grace', 'retired', 'revoked'];
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom<Step>({ do: 'rotate' }, { do: 'activate' }, { do: 'retire' }, { do: 'restart' }),
  { arbitrary: fc.constant<Step>({ do: 'tell' }), weight: 2 },
  fc.record({ do: fc.constantFrom('revoke' as const, 'replay' as const), pick: fc.nat(20) }),
  {
    arbitrary: fc.record({
      do: fc.constant('forge' as const),
      pick: fc.nat(20),
      way: fc.nat(6),
      states: fc.array(fc.constantFrom(...states), { minLength: 4, maxLength: 4 }),
    }),
    weight: 4,
  },
);

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-signers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Keys are dear to make and the same in every run. */
const pool = Array.from({ length: 40 }, makeTestSigner);
const evils = Array.from({ length: 3 }, makeTestSigner) as [TestSigner, TestSigner, TestSigner];

function makeControlPlane() {
  const keys: Key[] = [{ signer: pool[0] as TestSigner, by: undefined, state: 'active' }];
  let sequence = 1;
  const active = () => keys.find(({ state }) => state === 'active') as Key;
  const staged = () => keys.find(({ state }) => state === 'staged');
  const show = ({ signer, by, state }: Key) => (by ? signer.after(by, state) : signer.version(state));
  const add = (state: SignerState) => {
    const signer = pool[keys.length];
    if (!signer) return;
    const key: Key = { signer, by: active().signer, state: 'staged' };
    keys.push(key);
    if (state === 'active') promote(key);
  };
  const promote = (next: Key) => {
    const before = keys.find(({ state }) => state === 'active');
    if (before) before.state = 'grace';
    next.state = 'active';
  };
  return {
    keys,
    change(order: Step): void {
      sequence += 1;
      if (order.do === 'rotate' && !staged()) add('staged');
      const next = staged();
      if (order.do === 'activate' && next) promote(next);
      if (order.do === 'retire') for (const key of keys) if (key.state === 'grace') key.state = 'retired';
      if (order.do !== 'revoke') return;
      const key = keys[order.pick % keys.length];
      if (!key || key.state === 'retired' || key.state === 'revoked') return;
      if (key.state !== 'active') {
        key.state = 'revoked';
        return;
      }
      const announced = staged();
      if (announced) promote(announced);
      else if (pool[keys.length]) add('active');
      else return;
      key.state = 'revoked';
    },
    list(): List {
      const signers = keys.toReversed().map(show);
      return { signers, statement: active().signer.state(signers, sequence) };
    },
  };
}

/** What somebody on the line can make of the lists he has seen, his own keys, and those he has stolen. */
function forge(order: Extract<Step, { do: 'forge' }>, seen: readonly List[], stolen: readonly TestSigner[]): List {
  const old = seen[order.pick % seen.length] as List;
  const sequence = old.statement.sequence + order.pick;
  const [evil, second] = evils;
  const thief = stolen[order.pick % Math.max(1, stolen.length)] ?? evil;
  const edited = old.signers.map((one, at) => ({ ...one, state: order.states[at % 4] ?? one.state }));
  const mine = evil.after(thief, order.states[0]);
  switch (order.way) {
    case 0:
      return { signers: edited, statement: { ...old.statement, sequence } };
    case 1:
      return { signers: edited, statement: thief.state(edited, sequence) };
    case 2: {
      const signers = [...old.signers, evil.after(thief, 'active')];
      return { signers, statement: evil.state(signers, sequence) };
    }
    case 3: {
      const signers = [mine, second.after(evil, 'active'), ...edited];
      return { signers, statement: second.state(signers, sequence) };
    }
    case 4: {
      const signers = edited.map((one) => ({ ...one, public_key: evil.version().public_key }));
      return { signers, statement: { ...evil.state(signers, sequence), stated_by: old.statement.stated_by } };
    }
    case 5: {
      const signers = [evil.version('active')];
      return { signers, statement: evil.state(signers, sequence) };
    }
    default:
      return { signers: old.signers.slice(order.pick % old.signers.length), statement: { ...old.statement, sequence } };
  }
}

const obeys = (signers: Signers, signer: TestSigner, task = signer.task({ nodeId: 'anybody' })) =>
  signers.judge({ ...task }, 0) === 'holds';
/** One task of each key is enough: what is asked is only whether its key counts. */
const tasks = new Map([...pool, ...evils].map((signer) => [signer, signer.task({ nodeId: 'anybody' })]));

async function play(steps: readonly Step[]): Promise<void> {
  files += 1;
  const path = join(folder, `${files}.json`);
  const open = () => openSigners({ disk: makeDisk({ forced: false }), path });
  const plane = makeControlPlane();
  const seen: List[] = [plane.list()];
  /** The states that the node was told last by the control plane, and what it was ever told to be revoked. */
  let told = new Map(plane.keys.map(({ signer, state }) => [signer, state]));
  const revoked = new Set<TestSigner>();
  let node = await open();
  const first = plane.list();
  await node.pin(first.signers, first.statement);

  const tell = async () => {
    const list = plane.list();
    seen.push(list);
    const heard = await node.hear(list.signers, list.statement);
    expect(['taken', 'known']).toContain(heard);
    told = new Map(plane.keys.map(({ signer, state }) => [signer, state]));
    for (const [signer, state] of told) if (state === 'revoked') revoked.add(signer);
    // An honest list always goes through, and is taken as a whole.
    for (const { signer, state } of plane.keys) {
      const counts = ['staged', 'active', 'grace'].includes(state);
      expect({ state, obeyed: obeys(node, signer, tasks.get(signer)) }).toEqual({ state, obeyed: counts });
    }
  };
  for (const order of steps) {
    if (order.do === 'restart') node = await open();
    else if (order.do === 'tell') await tell();
    else if (order.do === 'replay') {
      const list = seen[order.pick % seen.length] as List;
      expect(['old', 'known']).toContain(await node.hear(list.signers, list.statement));
    } else if (order.do === 'forge') {
      const stolen = [...told].filter(([, state]) => !['active', 'staged'].includes(state)).map(([signer]) => signer);
      const list = forge(order, seen, stolen);
      expect(await node.hear(list.signers, list.statement)).not.toBe('taken');
    } else plane.change(order);
    for (const evil of evils) expect(obeys(node, evil, tasks.get(evil))).toBe(false);
    for (const signer of revoked) expect(obeys(node, signer, tasks.get(signer))).toBe(false);
    for (const [signer, state] of told) {
      const counts = ['staged', 'active', 'grace'].includes(state);
      expect(obeys(node, signer, tasks.get(signer))).toBe(counts);
    }
  }
  await tell();
}

describe('any sequence of honest, old, edited and forged lists, with restarts between them', () => {
  it('never makes a stranger trusted, never brings a revoked key back, and never stops an honest rotation', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), play), { numRuns: 300 });
  }, 120_000);
});
