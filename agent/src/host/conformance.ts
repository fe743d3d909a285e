import { HostTopology, NodeCondition, nodeTaskKinds, ReadinessAttestation } from '@gpuaas/contract/node';
import { Check } from 'typebox/value';
import { afterEach, describe, expect, it } from 'vitest';
import { containerCases } from './conformance-containers.ts';
import { failureOf, first, type HostRig, image, key, makeSuite, makeWork, second } from './conformance-rig.ts';
import { shellCases } from './conformance-shells.ts';
import { sliceCases } from './conformance-slices.ts';
import { stopCases } from './conformance-stops.ts';
import { fingerprintOfKey } from './fingerprint.ts';

/** What a host promises. What stands here is what the agent may lean on; nothing else is. */
export function hostConformance(name: string, makeRig: () => Promise<HostRig>): void {
  describe(`host: ${name}`, () => {
    const suite = makeSuite(makeRig);
    const { begin, can } = suite;
    afterEach(() => suite.end());

    describe('looking', () => {
      it('says what it is made of, each slot once and all on known sides', async () => {
        const { host, slots } = await begin();
        const topology = await host.topology(makeWork());
        expect(Check(HostTopology, topology)).toBe(true);
        for (const member of ['gpu_uuid', 'pci_address', 'slot_index'] as const) {
          expect(new Set(slots.map((slot) => slot[member])).size).toBe(slots.length);
        }
        const sides = new Set(topology.numa_nodes.map(({ id }) => id));
        expect(slots.every(({ numa_node }) => numa_node === -1 || sides.has(numa_node))).toBe(true);
      });

      it('says whether it is simulated, in what it is made of and in what it swears to', async () => {
        const { host, user } = await begin();
        const isSimulated = host.kind === 'simulated';
        expect((await host.topology(makeWork())).simulated).toBe(isSimulated);
        expect((await host.provisionUser(user(first), makeWork())).simulated).toBe(isSimulated);
      });

      it('is the same host when it is opened again', async () => {
        const { host } = await begin();
        const before = await host.topology(makeWork());
        const after = await (await suite.rig.crash()).topology(makeWork());
        expect(after).toEqual(before);
      });

      it('says how it is, in conditions and in a probe', async () => {
        const { host, slots } = await begin();
        const probe = await host.health(makeWork());
        expect(Check(nodeTaskKinds['diag.health_probe'].output, probe)).toBe(true);
        expect(probe.healthy).toBe(Object.values(probe.checks).every(({ passed }) => passed));
        const conditions = await host.conditions();
        expect(conditions.every((condition) => Check(NodeCondition, condition))).toBe(true);
        expect(new Set(conditions.map(({ type }) => type)).size).toBe(conditions.length);
        const load = await host.utilization();
        if (load) expect(load).toHaveLength(slots.length);
        for (const digest of (await host.images()) ?? []) expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      });

      it('has nothing running when nothing was asked of it', async () => {
        const { host } = await begin();
        expect(await host.runtimes()).toEqual([]);
      });
    });

    describe('a whole node', () => {
      it('is handed over with an attestation of every GPU, and taken back with proof', async () => {
        const { host, user, slots } = await begin();
        const work = makeWork();
        const seen = await host.provisionUser(user(first), work);
        expect(Check(ReadinessAttestation, seen)).toBe(true);
        expect(seen.allocation_id).toBe(first);
        expect(seen.gpus.map(({ uuid }) => uuid).sort()).toEqual(slots.map(({ gpu_uuid }) => gpu_uuid).sort());
        expect(seen.ssh.username).toBe(suite.rig.login.username);
        expect(work.phases).toEqual(['lease', 'host_check', 'user', 'readiness']);
        expect(await host.runtimes()).toEqual([{ allocationId: first, shape: 'bare_metal', running: true }]);

        const gone = await host.revokeUser({ allocation_id: first, login: suite.rig.login }, makeWork());
        expect([gone.user_absent.passed, gone.processes_ended.passed]).toEqual([true, true]);
        expect(await host.runtimes()).toEqual([]);
      });

      it('is seen with its GPUs by the host itself, for as long as it is handed over', async () => {
        const { host, user, slots } = await begin();
        expect(await host.gpusOf(first)).toEqual([]);
        await host.provisionUser(user(first), makeWork());
        expect([...(await host.gpusOf(first))].sort()).toEqual(slots.map(({ gpu_uuid }) => gpu_uuid).sort());
        expect(await host.gpusOf(second)).toEqual([]);
        await host.revokeUser({ allocation_id: first, login: suite.rig.login }, makeWork());
        expect(await host.gpusOf(first)).toEqual([]);
      });

      it('is one handover and one end, however often each is asked for', async () => {
        const { host, user } = await begin();
        await host.provisionUser(user(first), makeWork());
        const again = await host.provisionUser(user(first), makeWork());
        expect(again.ssh.username).toBe(suite.rig.login.username);
        expect(await host.runtimes()).toHaveLength(1);
        for (let times = 0; times < 2; times += 1) {
          const gone = await host.revokeUser({ allocation_id: first, login: suite.rig.login }, makeWork());
          expect(gone.user_absent.passed).toBe(true);
        }
        expect(await host.runtimes()).toEqual([]);
      });

      it('lets exactly the given keys in, each time they are given', async () => {
        const { host, user } = await begin();
        await host.provisionUser(user(first), makeWork());
        const who = { allocationId: first, username: suite.rig.login.username };
        expect(await suite.rig.keysOf(who)).toEqual([key('a')]);
        const keys = { allocation_id: first, login: suite.rig.login };
        const next = [key('b'), key('c')];
        const installed = await host.installKeys({ ...keys, authorized_keys: next }, makeWork());
        expect([...installed].sort()).toEqual(next.map(fingerprintOfKey).sort());
        expect([...(await suite.rig.keysOf(who))].sort()).toEqual([key('b'), key('c')].sort());
        expect(await host.installKeys({ ...keys, authorized_keys: [] }, makeWork())).toEqual([]);
        expect(await suite.rig.keysOf(who)).toEqual([]);
      });

      it('installs no keys for an allocation that it does not have', async () => {
        const { host } = await begin();
        const keys = { allocation_id: first, login: suite.rig.login, authorized_keys: [key('b')] };
        expect(await failureOf(host.installKeys(keys, makeWork()))).toBe('not_found');
      });

      it('is not handed to a second allocation', async () => {
        const { host, user } = await begin();
        await host.provisionUser(user(first), makeWork());
        expect(['lease_conflict', 'user_conflict']).toContain(
          await failureOf(host.provisionUser(user(second), makeWork())),
        );
        expect(await host.runtimes()).toEqual([{ allocationId: first, shape: 'bare_metal', running: true }]);
      });

      it('refuses to be called ready with another GPU than the one that was promised', async () => {
        const { host, user, slots } = await begin();
        const wrong = user(first);
        const uuids = [
          `GPU-${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`,
          ...slots.slice(1).map((s) => s.gpu_uuid),
        ];
        const params = { ...wrong, expect: { ...wrong.expect, gpu_uuids: uuids } };
        expect(['gpu_missing', 'gpu_mismatch']).toContain(await failureOf(host.provisionUser(params, makeWork())));
      });

      it('comes to its end when the lease runs out, and stays there', async () => {
        const { host, user } = await begin();
        await host.provisionUser(user(first), makeWork());
        await host.endRuntime(first);
        await host.endRuntime(first);
        expect((await host.runtimes()).filter(({ running }) => running)).toEqual([]);
        expect((await (await suite.rig.crash()).runtimes()).filter(({ running }) => running)).toEqual([]);
      });

      it('ends nothing for an allocation that it does not have', async () => {
        const { host } = await begin();
        await host.endRuntime(second);
        expect(await host.runtimes()).toEqual([]);
      });

      it('survives the agent in every phase of the handover', async () => {
        let { host, user } = await begin();
        for (const at of ['lease', 'host_check', 'user', 'readiness']) {
          const work = makeWork();
          const reached = new Promise<void>((resolve) => {
            work.onPhase = (phase) => phase === at && resolve();
          });
          const attempt = host.provisionUser(user(first), work).catch(() => undefined);
          await reached;
          host = await suite.rig.crash();
          await attempt;
        }
        await host.provisionUser(user(first), makeWork());
        expect(await host.runtimes()).toEqual([{ allocationId: first, shape: 'bare_metal', running: true }]);
        await host.revokeUser({ allocation_id: first, login: suite.rig.login }, makeWork());
        expect(await host.runtimes()).toEqual([]);
      });

      it('can be attested again, and not once it is gone', async () => {
        const { host, user } = await begin();
        await host.provisionUser(user(first), makeWork());
        const { expect: expected } = user(first);
        const seen = await host.attest({ allocation_id: first, login: suite.rig.login, expect: expected }, makeWork());
        expect(Check(ReadinessAttestation, seen)).toBe(true);
        await host.revokeUser({ allocation_id: first, login: suite.rig.login }, makeWork());
        const late = host.attest({ allocation_id: first, login: suite.rig.login, expect: expected }, makeWork());
        expect(await failureOf(late)).toBe('not_found');
      });

      it('stays the same allocation over a restart', async () => {
        const { host, user } = await begin();
        const params = user(first);
        const before = await host.provisionUser(params, makeWork());
        const restarted = host.restart(
          { allocation_id: first, login: suite.rig.login, expect: params.expect },
          makeWork(),
        );
        if (!can('restart')) return expect(await failureOf(restarted)).toBe('not_supported');
        expect((await restarted).ssh).toEqual(before.ssh);
        expect(await host.runtimes()).toEqual([{ allocationId: first, shape: 'bare_metal', running: true }]);
      });
    });

    stopCases(suite);
    sliceCases(suite);
    containerCases(suite);
    describe('imaging', () => {
      it('leaves a host that is bare and proves it, or is refused where the host cannot', async () => {
        const { host } = await begin();
        const done = host.reimage({ image }, makeWork());
        if (!can('reimage')) return expect(await failureOf(done)).toBe('not_supported');
        expect((await done).reimaged.passed).toBe(true);
        expect(await host.runtimes()).toEqual([]);
      });

      it('is refused while somebody has the host', async () => {
        const { host, user } = await begin();
        await host.provisionUser(user(first), makeWork());
        expect(['host_not_ready', 'not_supported']).toContain(await failureOf(host.reimage({ image }, makeWork())));
        expect(await host.runtimes()).toHaveLength(1);
      });
    });

    shellCases(suite);
  });
}
