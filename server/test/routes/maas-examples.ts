import { keyLocation } from '../../src/domains/maas/keys-store.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, keyringOfWorlds, type World } from '../../src/testing/world.ts';
import type { MakeExample } from './examples.ts';

/** Examples of the routes about machines of MAAS. Nobody looks at the site: its machines are what an earlier look left. */
const unique = (word: string) => `${word}-${systemIds.next().slice(-12)}`;
const because = { reason: 'an example' };
const url = 'https://maas.example:5443/MAAS';

async function freshRegion(world: World): Promise<string> {
  const slug = unique('region');
  await asSystem(world.root, `insert into regions (slug, name) values ($1, 'An example')`, [slug]);
  return slug;
}
async function freshSku(world: World): Promise<string> {
  const slug = unique('sku');
  await asSystem(
    world.root,
    `insert into skus (slug, vendor, display_name, gpu_model, gpu_memory_mib, capacity_shape, gpus_total,
       allowed_gpu_counts, billing_unit, resource_profile)
     values ($1, 'V', 'An example', 'NVIDIA H200', 143771, 'baremetal', 8, '{8}', 'gpu_hour', '{"fabric":"none","slice_vm_profiles":[]}')`,
    [slug],
  );
  return slug;
}
async function freshSite(world: World): Promise<string> {
  const id = systemIds.next();
  await asSystem(
    world.root,
    `insert into maas_sites (id, name, region, url, osystem, series, erase, max_parallel, sealed_key, door_url, downloads, username)
     values ($1, $2, $3, $4, 'ubuntu', 'noble', 'full', 4, $5, 'https://nodes.example', 'https://api.example', 'gpuaas')`,
    [id, unique('site'), await freshRegion(world), url, keyringOfWorlds.seal('maas').close('a:b:c', keyLocation(id))],
  );
  return id;
}
async function freshMachine(
  world: World,
  status = 'ready',
  owner: string | null = null,
): Promise<Record<string, string>> {
  const [site, system] = [await freshSite(world), `m${systemIds.next().replaceAll('-', '').slice(-12)}`];
  await asSystem(
    world.root,
    `insert into maas_machines (site_id, system_id, hostname, status, detail, power, owner, architecture, cpus, memory_mib, tags)
     values ($1, $2, $3, $4, '', 'off', $5, 'amd64/generic', 192, 2097152, '{gpu}')`,
    [site, system, unique('host'), status, owner],
  );
  return { site_id: site, system_id: system };
}
const bySite: MakeExample = async (world) => ({ params: { site_id: await freshSite(world) } });
const byMachine =
  (body: object = because, status?: string, owner?: string): MakeExample =>
  async (world) => ({ params: await freshMachine(world, status, owner ?? null), body: { ...body } });

export const maasExamples: Readonly<Record<string, MakeExample>> = {
  maas_site_create: async (world) => ({
    body: { name: unique('site'), region: await freshRegion(world), url, api_key: 'aaaa:bbbb:cccc' },
  }),
  maas_site_list: async () => ({}),
  maas_site_get: bySite,
  maas_site_update: async (world) => ({ params: { site_id: await freshSite(world) }, body: { max_parallel: 2 } }),
  maas_site_remove: async (world) => ({ params: { site_id: await freshSite(world) }, body: because }),
  maas_machine_list: bySite,
  maas_machine_get: async (world) => ({ params: await freshMachine(world) }),
  maas_onboard: async (world) => {
    const { site_id, system_id } = await freshMachine(world);
    const machines = [{ system_id, sku: await freshSku(world) }];
    return { params: { site_id: site_id as string }, body: { machines, ...because } };
  },
  maas_machine_commission: byMachine(),
  maas_machine_power: byMachine({ ...because, power: 'on' }),
  maas_machine_decommission: byMachine(because, 'deployed', 'gpuaas'),
  maas_job_list: async () => ({}),
  maas_job_get: async (world) => {
    const { site_id, system_id } = await freshMachine(world);
    const id = systemIds.next();
    await asSystem(
      world.root,
      `insert into maas_jobs (id, site_id, system_id, kind, reason, created_by) values ($1, $2, $3, 'power_on', 'an example', 'x')`,
      [id, site_id, system_id],
    );
    return { params: { job_id: id } };
  },
};
