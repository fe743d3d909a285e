import { sql } from '../../../kernel/act.ts';

export const keysOnNode = sql(
  'allocation-keys-on-node',
  `select envelope -> 'params' -> 'authorized_keys' as keys from node_tasks
   where allocation_id = $1 and generation = $2 and mine(organization_id)
     and task_type in ('slice.vm_provision', 'allocation.provision_user') order by id desc limit 1`,
);

export const slotsOfSql = sql(
  'allocation-slots',
  `select s.id, s.state, n.state as node_state from slots s join nodes n on n.id = s.node_id
     join allocations a on a.id = s.allocation_id and a.generation = s.generation and mine(a.organization_id)
   where s.allocation_id = $1 order by s.id`,
);

export const insertAttestation = sql(
  'attestation-insert',
  `insert into readiness_attestations (id, allocation_id, organization_id, node_id, task_id, generation, passed, problems,
     document, signed_result, taken_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (task_id) do nothing`,
);
export const findAttestation = sql(
  'attestation-by-task',
  'select id, passed, problems from readiness_attestations where task_id = $1 and mine(organization_id)',
);

export const readAllocation = sql(
  'allocation-leased',
  `select a.id, a.organization_id, a.project_id, a.version, a.capacity_shape,
     case when p.generation is null then a.state else 'failed' end as state,
     coalesce(p.node_id, a.node_id) as node_id, coalesce(p.generation, a.generation) as generation,
     coalesce(n.simulated, false) as simulated,
     a.isolation_model, a.max_duration_seconds, a.expires_at, a.ended_at, a.release_attempts, a.release_reason, a.profile, a.login, s.gpu_model, s.gpu_memory_mib,
     s.resource_profile ->> 'minimum_driver_version' as minimum_driver,
     s.resource_profile ->> 'minimum_cuda_version' as minimum_cuda,
     case when i.id is null then null
       else jsonb_build_object('slug', i.slug, 'digest', i.digest, 'driver_strategy', i.driver_strategy) end as image,
     (select coalesce(jsonb_agg(jsonb_build_object(
         'slot_id', t.id, 'slot_index', t.slot_index, 'gpu_uuid', t.gpu_uuid, 'pci_address', t.pci_address,
         'fabric_vf_pci_address', t.fabric_vf_pci_address, 'nvme_device', t.nvme_device,
         'mac_address', t.mac_address, 'private_ip', t.private_ip, 'numa_node', t.numa_node) order by t.slot_index), '[]')
       from slots t where t.allocation_id = a.id and t.generation = coalesce(p.generation, a.generation)) as slots,
     (select coalesce(jsonb_agg(distinct k.public_key), '[]')
       from allocation_ssh_keys k where k.allocation_id = a.id and mine(k.organization_id)) as keys,
     case when n.abilities @> '["ssh_certificates"]' then ssh_trusted_authorities() end as authorities
   from allocations a
   join skus s on s.slug = a.sku
   left join allocation_attempts p on p.allocation_id = a.id and p.generation = $2 and mine(p.organization_id)
   left join nodes n on n.id = coalesce(p.node_id, a.node_id)
   left join os_images i on i.id = a.image_id
   where a.id = $1 and mine(a.organization_id)`,
);
export const readLeaseSql = sql(
  'allocation-lease',
  `select case when p.generation is null then a.state else 'failed' end as state,
     coalesce(p.generation, a.generation) as generation, a.active_at is not null and p.generation is null as was_active,
     a.capacity_shape as shape, a.isolation_model
   from allocations a
     left join allocation_attempts p on p.allocation_id = a.id and p.generation = $2 and mine(p.organization_id)
   where a.id = $1 and mine(a.organization_id)`,
);
export const holdAllocation = sql(
  'allocation-leased-hold',
  'select from allocations where id = $1 and mine(organization_id) for update',
);

export const countAttempts = sql(
  'allocation-release-attempts',
  'select state, generation, release_attempts from allocations where id = $1 and mine(organization_id) for update',
);
