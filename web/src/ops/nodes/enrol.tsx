import type { NodeDetail, NodeEnrolmentOffer } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Field } from '../../parts/field.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { RailView } from '../../parts/rail-view.tsx';
import { Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { makeJoinRail } from '../../words/join-rail.ts';
import { counted, spellMemory } from '../../words/sizes.ts';
import { NodeImages } from './node-images.tsx';
import { Topology } from './topology.tsx';

/** Enrolment of a host: describe it, paste one line, and follow the steps. */
export function EnrolPage() {
  const [offer, setOffer] = useState<NodeEnrolmentOffer>();
  return (
    <Page title="Enrol a node" lead="Describe the host, run one command on it, and follow its enrolment.">
      {offer ? <Join offer={offer} /> : <Announce onOffer={setOffer} />}
    </Page>
  );
}

function Announce({ onOffer }: { onOffer(offer: NodeEnrolmentOffer): void }) {
  const skus = useAsk(['skus', 'all'], (options) => api.adminSkus.list({ limit: 100 }, options));
  const regions = useAsk(['regions', 'admin'], (options) => api.adminRegions.list({ limit: 100 }, options));
  const [name, setName] = useState('');
  const [sku, setSku] = useState('');
  const [region, setRegion] = useState('');
  const [address, setAddress] = useState('');
  const create = useAct(
    'node create',
    (input: Parameters<typeof api.adminNodes.create>[0], options) => api.adminNodes.create(input, options),
    { stale: ['nodes', 'fleet'], done: onOffer },
  );
  const offered = skus.data?.data.filter(({ active }) => active) ?? [];
  const places = regions.data?.data.filter(({ active }) => active) ?? [];
  return (
    <Panel title="1. Host">
      <form
        className="grid max-w-xl gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({
            name: name.trim(),
            sku,
            region: region || (places[0]?.slug ?? ''),
            ...(address.trim() && { address: address.trim() }),
          });
        }}
      >
        <Field label="Name" hint="Lower case letters, digits and dashes.">
          {(id) => (
            <input
              id={id}
              required
              pattern="[a-z0-9](?:[a-z0-9\-]*[a-z0-9])?"
              maxLength={60}
              className="field"
              placeholder="gpu-host-01"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field label="SKU">
          {(id) => (
            <select id={id} required className="field" value={sku} onChange={(event) => setSku(event.target.value)}>
              <option value="">Choose</option>
              {offered.map((each) => (
                <option key={each.sku} value={each.sku}>
                  {each.display_name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Region">
          {(id) => (
            <select id={id} className="field" value={region} onChange={(event) => setRegion(event.target.value)}>
              {places.map((each) => (
                <option key={each.slug} value={each.slug}>
                  {each.name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Address for tenants" hint="DNS name or IP address for tenants. Optional.">
          {(id) => (
            <input
              id={id}
              maxLength={253}
              className="field"
              value={address}
              onChange={(event) => setAddress(event.target.value)}
            />
          )}
        </Field>
        {(skus.error ?? regions.error) && <Problem error={skus.error ?? regions.error} />}
        {create.error && <Problem error={create.error} />}
        <div>
          <Button type="submit" look="primary" busy={create.isPending}>
            Create enrolment
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function Join({ offer }: { offer: NodeEnrolmentOffer }) {
  const id = offer.node.id;
  // Events report each step; the reports of a host in between are polled.
  const node = useAsk(['nodes', id, 'one'], (options) => api.adminNodes.get({ node_id: id }, options), {
    everyMs: 5_000,
  });
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Panel
        title="2. Run this on the host as root"
        aside={
          <span className="text-sm text-dim">
            expires <Ago at={offer.expires_at} />
          </span>
        }
      >
        <CodeBlock text={offer.install_command} wrap />
        <details className="mt-4">
          <summary className="font-medium">As cloud-init instead</summary>
          <div className="mt-2">
            <CodeBlock text={offer.cloud_init} />
          </div>
        </details>
        <p className="mt-3 text-sm text-dim">
          {offer.agent_package
            ? `It fetches agent ${offer.agent_package.version} (${offer.agent_package.architectures.join(', ')}) by digest, verifies and installs it, enrols the host and starts the agent. The host needs no Node.`
            : 'It expects the agent on the host: no package was uploaded. Build one with npm run package-agent, upload it with gpuaas ops release add, and issue another token.'}
        </p>
        <p className="mt-2 text-sm text-dim">
          The token works once and is not shown again. On the host, <code>node-agent doctor</code> says what is missing.
        </p>
      </Panel>
      <Panel title="3. Wait for the host">
        {node.error ? <Problem error={node.error} /> : <RailView steps={makeJoinRail(node.data)} />}
        <div className="mt-4">
          <ButtonLink to="/ops/nodes/$id" params={{ id }}>
            Open the node
          </ButtonLink>
        </div>
      </Panel>
      {node.data?.topology && <Offer node={node.data} />}
    </div>
  );
}

/** The discovered hardware, and the two decisions of the operator: approve slots, and publish. */
function Offer({ node }: { node: NodeDetail }) {
  const { topology } = node;
  const stale = ['nodes', 'fleet', 'catalog'];
  const approve = useAct(
    'slots approve',
    (_: number, options) => api.adminNodes.slotsApprove({ node_id: node.id }, options),
    { stale },
  );
  const publish = useAct(
    'node publish',
    (_: number, options) => api.adminNodes.publish({ node_id: node.id }, options),
    {
      stale,
    },
  );
  if (!topology) return null;
  const isApproved = node.resource_slots.length > 0;
  const error = approve.error ?? publish.error;
  return (
    <div className="lg:col-span-2">
      <Panel
        title="4. Approve its GPUs"
        aside={
          <span className="text-sm text-dim">
            {topology.hostname}, {counted(topology.slots.length, 'GPU')}
          </span>
        }
      >
        <div className="grid gap-4">
          {topology.blockers.length > 0 && (
            <ul className="list-disc ps-5 text-bad">
              {topology.blockers.map((blocker) => (
                <li key={blocker}>{blocker}</li>
              ))}
            </ul>
          )}
          {isApproved ? (
            <Topology topology={topology} slots={node.resource_slots} host={node} />
          ) : (
            <ul className="grid gap-1">
              {topology.slots.map((slot) => (
                <li key={slot.slot_index} className="flex flex-wrap gap-x-3">
                  <span className="w-16 font-medium">GPU {slot.slot_index}</span>
                  <span>
                    {slot.gpu_model}, {spellMemory(slot.gpu_memory_mib)}
                  </span>
                  <span className="text-dim">NUMA {slot.numa_node}</span>
                  {slot.blockers.length > 0 && <span className="text-bad">{slot.blockers.join(' ')}</span>}
                </li>
              ))}
            </ul>
          )}
          {isApproved && !node.schedulable && (
            <section aria-label="Images">
              <h3 className="mb-1 font-semibold">Images</h3>
              <NodeImages node={node} />
            </section>
          )}
          {error && <Problem error={error} />}
          <div className="flex flex-wrap items-center gap-3">
            {!isApproved && (
              <Button look="primary" busy={approve.isPending} onClick={() => approve.mutate(node.version)}>
                Approve {counted(topology.slots.length, 'slot')}
              </Button>
            )}
            {isApproved && !node.schedulable && (
              <Button look="primary" busy={publish.isPending} onClick={() => publish.mutate(node.version)}>
                Publish
              </Button>
            )}
            {node.schedulable && (
              <p role="status" className="text-ok">
                In service: tenants can launch on it now.
              </p>
            )}
          </div>
        </div>
      </Panel>
    </div>
  );
}
