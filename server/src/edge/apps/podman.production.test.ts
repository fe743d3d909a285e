import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workloadOrder } from '../../../../agent/src/host/conformance-containers.ts';
import { first, makeWork } from '../../../../agent/src/host/conformance-rig.ts';
import { type ContainerRoom, openContainerRoom } from '../../../../agent/src/host/linux/testing/container-room.ts';
import { isRoot } from '../../../../agent/src/host/linux/testing/fixture.ts';
import { type AppRig, openAppRig } from './testing.ts';

/** A container of podman behind the real tunnel of an agent and the real proxy. Only root can make its network. */
const minuteMs = 60_000;

describe.runIf(isRoot)('an app in a container of podman', () => {
  let room: ContainerRoom;
  let rig: AppRig;
  beforeAll(async () => {
    room = await openContainerRoom(new Set([first]));
  }, 10 * minuteMs);
  const openRig = () =>
    openAppRig({}, async () => {
      const containers = room.open();
      const order = workloadOrder(1, {
        image: room.image,
        command: ['/bin/busybox', 'sh', '-c', 'exec /bin/busybox httpd -f -p 8080 -h /www'],
        ...{ args: [], env: [], volumes: [], ports: [{ name: 'http', port: 8_080 }] },
        limits: { cpu_millis: 250, memory_mib: 48, pids: 64, shm_mib: 4, scratch_mib: 4 },
      });
      await containers.launch(order, makeWork());
      const { allocation_id, workload_id } = order;
      return {
        ...{ allocationId: allocation_id, workloadId: workload_id, connectContainer: containers.connect },
        stop: () => containers.stop({ allocation_id, workload_id, grace_seconds: 0, remove_volumes: true }, makeWork()),
        close: async () => undefined,
      };
    });
  afterAll(async () => {
    await rig?.close();
    await room?.close();
  }, 5 * minuteMs);

  it(
    'answers through the proxy at the port that its order names and at no other, and not once it was stopped',
    async () => {
      rig = await openRig();
      await expect.poll(async () => (await rig.call('/')).status, { timeout: minuteMs }).toBe(200);
      expect((await rig.call('/')).body).toBe('alive\n');
      const { admitted } = rig;
      rig.decide = ({ label }) => (label === 'other' ? { ...admitted, port: 9_000 } : admitted);
      const closed = await rig.call('/', { host: 'other.apps.localhost' });
      expect([closed.status, JSON.parse(closed.body).failed_part]).toEqual([502, 'node']);
      await rig.stopContainer();
      const over = await rig.call('/');
      expect([over.status, JSON.parse(over.body).failed_part]).toEqual([503, 'app']);
    },
    5 * minuteMs,
  );
});
