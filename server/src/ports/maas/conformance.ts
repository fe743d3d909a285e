import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { endsByItself } from '../../testing/servers/ends-by-itself.ts';
import type { MaasConfig } from './open.ts';
import { type Maas, type MaasAccess, MaasAway, type MaasMachine, MaasRefused } from './port.ts';
import type { SimulatedMaas } from './simulated/server.ts';

/** A region on this machine, and a way to it. */
export interface MaasWorld {
  readonly config: MaasConfig;
  open(): Promise<Maas>;
  readonly access: MaasAccess;
  /** Brings machines into the region, breaks it, and says what lies in it. */
  readonly region: SimulatedMaas['region'];
  /** Lets the time of the region pass. */
  pass(ms: number): void;
  /** Ends the server, and starts it again where it was. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const key = 'aaaaaaaaaaaaaaaaaa:bbbbbbbbbbbbbbbbbb:cccccccccccccccccccccccccccccccc';
/** The time that everything in the region takes, in tests. */
export const regionTimes = { commissionMs: 60_000, deployMs: 120_000, eraseMs: 90_000 };

/** What every way to machines of MAAS promises. */
export function maasConformance(name: string, makeWorld: (apiKey: string) => Promise<MaasWorld>): void {
  describe(`maas: ${name}`, () => {
    let world: MaasWorld;
    const opened: Maas[] = [];
    const site = async (changes: Partial<MaasAccess> = {}) => {
      const maas = await world.open();
      opened.push(maas);
      return maas.at({ ...world.access, ...changes });
    };
    const machine = (changes: Parameters<MaasWorld['region']['add']>[0] | object = {}) =>
      world.region.add({ systemId: `m${systemIds.next().replaceAll('-', '').slice(-10)}`, ...changes });
    const well = (answer: MaasMachine | MaasRefused): MaasMachine => {
      if (answer instanceof MaasRefused) throw new Error(`${answer.kind}: ${answer.message}`);
      return answer;
    };
    const order = { osystem: 'ubuntu', series: 'noble', userData: '#cloud-config\n{"größe": 1}\n', comment: 'a test' };
    beforeAll(async () => {
      world = await makeWorld(key);
    });
    afterEach(async () => {
      world.region.faults.length = 0;
      await Promise.all(opened.splice(0).map((maas) => maas.close()));
    });
    afterAll(() => world?.close());

    it('knows the release that answers and the name behind the key', async () => {
      expect(await (await site()).whoami()).toEqual({ release: expect.stringMatching(/^\d/), username: 'gpuaas' });
    });

    it('lists machines in its own words, and those of one pool when it is asked for one', async () => {
      const [one, other] = [machine({ hostname: 'gpu-1' }), machine({ pool: 'gpus', status: 'ready' })];
      const all = (await (await site()).machines()) as readonly MaasMachine[];
      expect(all.map(({ systemId }) => systemId)).toEqual(expect.arrayContaining([one.systemId, other.systemId]));
      expect(all.find(({ systemId }) => systemId === one.systemId)).toEqual({
        ...{ systemId: one.systemId, hostname: 'gpu-1', status: 'new', detail: '', power: 'off', owner: undefined },
        ...{ notes: {}, architecture: 'amd64/generic', cpus: 192, memoryMib: 2_097_152, tags: ['gpu'], addresses: [] },
        isLocked: false,
      });
      const pooled = (await (await site({ pool: 'gpus' })).machines()) as readonly MaasMachine[];
      expect(pooled.map(({ systemId }) => systemId)).toEqual([other.systemId]);
    });

    it('takes a machine from new to deployed with the document that it was given, and back to erased', async () => {
      const { systemId } = machine();
      const maas = await site();
      expect(well(await maas.commission(systemId))).toMatchObject({ status: 'commissioning', power: 'on' });
      world.pass(regionTimes.commissionMs);
      expect(well(await maas.machine(systemId))).toMatchObject({ status: 'ready', power: 'off' });
      expect(well(await maas.allocate(systemId, 'ours'))).toMatchObject({ status: 'allocated', owner: 'gpuaas' });
      expect(well(await maas.note(systemId, { gpuaas_node: 'x' })).notes).toEqual({ gpuaas_node: 'x' });
      expect(well(await maas.deploy(systemId, order))).toMatchObject({ status: 'deploying', power: 'on' });
      world.pass(regionTimes.deployMs);
      expect(well(await maas.machine(systemId)).status).toBe('deployed');
      expect(world.region.find(systemId)).toMatchObject({ userData: order.userData, series: 'noble', isDirty: true });
      expect(well(await maas.release(systemId, { erase: 'full', comment: 'done' })).status).toBe('disk_erasing');
      world.pass(regionTimes.eraseMs);
      expect(well(await maas.machine(systemId))).toMatchObject({
        status: 'ready',
        power: 'off',
        owner: undefined,
        notes: {},
      });
      expect(world.region.find(systemId)?.isDirty).toBe(false);
    });

    it('releases without an erase only when it is asked to, and a release twice is one', async () => {
      const { systemId } = machine({ status: 'deployed', isDirty: true, power: 'on' });
      const maas = await site();
      well(await maas.release(systemId, { erase: 'none', comment: 'kept' }));
      expect(well(await maas.release(systemId, { erase: 'none', comment: 'kept' })).status).toBe('ready');
      expect(world.region.find(systemId)?.isDirty).toBe(true);
    });

    it('switches power, and ends what is in the middle', async () => {
      const { systemId } = machine({ status: 'ready' });
      const maas = await site();
      expect(well(await maas.power(systemId, 'on', 'look')).power).toBe('on');
      expect(well(await maas.power(systemId, 'off', 'look')).power).toBe('off');
      well(await maas.deploy(systemId, order));
      expect(well(await maas.abort(systemId, 'no')).status).toBe('allocated');
    });

    it.each([
      ['commission', 'failed_commissioning'],
      ['deploy', 'failed_deployment'],
      ['erase', 'failed_disk_erasing'],
    ] as const)('says when %s failed, with the words of MAAS', async (what, status) => {
      const { systemId } = machine({ status: what === 'erase' ? 'deployed' : 'ready' });
      world.region.faults.push({ kind: 'fails', what, systemId });
      const maas = await site();
      if (what === 'commission') well(await maas.commission(systemId));
      else if (what === 'deploy') well(await maas.deploy(systemId, order));
      else well(await maas.release(systemId, { erase: 'quick', comment: 'x' }));
      world.pass(regionTimes.deployMs);
      expect(well(await maas.machine(systemId))).toMatchObject({ status, detail: expect.stringMatching(/./) });
    });

    it('hands refusals over as values: no such machine, a state that does not allow it, a key that may not', async () => {
      const { systemId } = machine({ status: 'deployed' });
      const maas = await site();
      expect(await maas.machine('zzzzzz')).toMatchObject({ kind: 'absent' });
      expect(await maas.deploy(systemId, order)).toMatchObject({
        kind: 'conflict',
        message: expect.stringContaining(systemId),
      });
      expect(await maas.allocate(systemId, 'x')).toMatchObject({ kind: 'conflict' });
      const stranger = await site({ apiKey: 'dddd:eeee:ffff' });
      expect(await stranger.machines()).toMatchObject({ kind: 'denied' });
      expect(await stranger.deploy(systemId, order)).toMatchObject({ kind: 'denied' });
    });

    it('keeps what it was given inside its field, whatever it says', async () => {
      const { systemId } = machine({ status: 'ready' });
      const hostile = 'x&op=release&erase=false\r\nX-Evil: 1\n"\u2028%00';
      const maas = await site();
      well(await maas.note(systemId, { gpuaas_node: hostile }));
      expect(world.region.find(systemId)).toMatchObject({ status: 'ready', ownerData: { gpuaas_node: hostile } });
      expect(await maas.machine(`../machines/${systemId}`)).toMatchObject({ kind: 'absent' });
    });

    it.each([500, 502, 503])('throws when MAAS answers %i, and works again afterwards', async (status) => {
      const { systemId } = machine();
      world.region.faults.push({ kind: 'status', status, times: 1 });
      const maas = await site();
      await expect(maas.machine(systemId)).rejects.toThrow(MaasAway);
      expect(well(await maas.machine(systemId)).status).toBe('new');
    });

    it('throws when something else answers, nobody does, or too late', async () => {
      const maas = await site();
      world.region.faults.push({ kind: 'garbage', times: 1 });
      await expect(maas.machines()).rejects.toThrow('something else than MAAS');
      world.region.faults.push({ kind: 'silent', times: 1 });
      await expect(maas.machines()).rejects.toThrow('in time');
    });

    it('throws when an answer was lost, although the order was carried out', async () => {
      const { systemId } = machine({ status: 'ready' });
      world.region.faults.push({ kind: 'lost_answer', times: 1, op: 'allocate' });
      const maas = await site();
      await expect(maas.allocate(systemId, 'x')).rejects.toThrow(MaasAway);
      expect(well(await maas.machine(systemId)).status).toBe('allocated');
    });

    it('fails in time while the server is away, and works when it is back', async () => {
      const maas = await site();
      await world.stop();
      await expect(maas.machines()).rejects.toThrow(MaasAway);
      await world.start();
      expect(Array.isArray(await maas.machines())).toBe(true);
    });

    it('never repeats the key in what it says', async () => {
      await world.stop();
      const said = await (await site()).machines().catch((error: Error) => `${error.stack} ${JSON.stringify(error)}`);
      await world.start();
      for (const part of key.split(':')) expect(said).not.toContain(part);
    });

    it.each([
      'http://maas.example/MAAS',
      'ftp://maas.example',
      'https://name:word@maas.example/',
      'https://m.example/?a=b',
      'no',
    ])('objects to %s and sends nothing there', async (url) => {
      const maas = await world.open();
      opened.push(maas);
      expect(maas.urlProblem(url)).toEqual(expect.any(String));
      expect(await maas.at({ ...world.access, url }).machines()).toMatchObject({ kind: 'invalid' });
      expect(maas.urlProblem(world.access.url)).toBeUndefined();
    });

    it('is given up by close', async () => {
      const maas = await world.open();
      const at = maas.at(world.access);
      await maas.close();
      await maas.close();
      await expect(at.machines()).rejects.toThrow(/closed/);
      await expect(maas.check()).rejects.toThrow(/closed/);
    });

    it('leaves nothing behind that would keep a process alive', async () => {
      await expect(endsByItself(import.meta.resolve('./open.ts'), 'openMaas', world.config)).resolves.toBeUndefined();
    });
  });
}
