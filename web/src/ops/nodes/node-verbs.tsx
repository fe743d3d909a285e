import type { AdminAllocation, NodeDetail } from '@gpuaas/sdk';
import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { Field } from '../../parts/field.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { counted } from '../../words/sizes.ts';

/** A probe changes nothing and asks for no reason; everything else is confirmed first. */
export type Verb = Exclude<NodeDetail['actions'][number]['action'], 'probe'>;
interface Meaning {
  readonly label: string;
  readonly means: string;
  readonly danger?: true;
  /** Whether the dialog says what runs there. */
  readonly endsWork?: true;
}
export const verbs: Readonly<Record<Verb, Meaning>> = {
  cordon: { label: 'Cordon', means: 'Stops new work. Running allocations continue.' },
  uncordon: { label: 'Uncordon', means: 'Accepts new work again.' },
  drain: {
    label: 'Drain',
    means:
      'Stops new work and notifies tenants. Allocations that remain at the end of the notice are released. When it is empty the node is retired; readmit it after a probe.',
    danger: true,
    endsWork: true,
  },
  resume: { label: 'Resume', means: 'Ends the drain and accepts new work again.' },
  quarantine: {
    label: 'Quarantine',
    means: 'Stops new work until an operator clears it. Running allocations continue.',
    danger: true,
    endsWork: true,
  },
  clear: { label: 'Clear', means: 'Ends the quarantine.' },
  readmit: { label: 'Readmit', means: 'Returns the node to service, cordoned.' },
  publish: { label: 'Publish', means: 'Offers its GPUs to tenants.' },
  retire: {
    label: 'Retire',
    means: 'Removes the node from service once its last GPU is free.',
    danger: true,
    endsWork: true,
  },
  reimage: {
    label: 'Reimage',
    means: 'Erases the disks of the host and installs the image. A host that does not prove it is quarantined.',
    danger: true,
  },
  remove: {
    label: 'Remove',
    means:
      'Removes the node for good: its certificate is revoked, and its agent cannot return without a new enrolment.',
    danger: true,
  },
};
/** The actions that the server allows now. The state machine is the server's; a copy here would drift. */
export const verbsOf = (node: NodeDetail): readonly Verb[] =>
  node.actions.flatMap(({ action, allowed }) => (allowed && action in verbs ? [action as Verb] : []));
/** Blocked actions that would help, with what they need first; and how a retired node returns. */
const waysBack: Readonly<Record<string, readonly [Verb, string]>> = {
  quarantined: ['clear', 'To clear it'],
  retired: ['readmit', 'To return it to service'],
};
export function hintsOf(node: NodeDetail): readonly string[] {
  const [verb, lead] = waysBack[node.state] ?? [];
  const action = node.actions.find((each) => each.action === verb);
  if (!action) return [];
  if (!action.allowed) return action.why_not ? [`${lead}: ${action.why_not}`] : [];
  return node.state === 'retired' ? [`${lead}: probe it, then readmit it.`] : [];
}

/** What two of the actions ask for besides the reason. */
export interface Extra {
  readonly notice: string;
  readonly image: string;
}

/** Sends an action to the server. */
export function sendVerb(
  nodeId: string,
  { verb, reason, extra }: { verb: Verb; reason: string; extra: Extra },
  options: Parameters<typeof api.adminNodes.cordon>[1],
) {
  const wanted = { node_id: nodeId, reason };
  if (verb === 'drain') {
    return api.adminNodes.drain(
      { ...wanted, ...(extra.notice !== '' && { notice_minutes: Number(extra.notice) }) },
      options,
    );
  }
  if (verb === 'reimage') return api.adminNodes.reimage({ ...wanted, image: extra.image }, options);
  return api.adminNodes[verb](wanted, options);
}

/** What an action does, whom it concerns, and for a drain how long its notice is. */
export function VerbMeans({
  verb,
  node,
  living,
  extra,
  onExtra,
}: {
  verb: Verb;
  node: NodeDetail;
  /** Undefined until the server has answered. */
  living: readonly AdminAllocation[] | undefined;
  extra: Extra;
  onExtra(extra: Extra): void;
}) {
  return (
    <>
      <p>{verbs[verb].means}</p>
      {verbs[verb].endsWork && <p className="font-medium text-ink">{sayRunning(verb, living)}</p>}
      {verb === 'drain' && (
        <Field label="Notice in minutes" hint="Empty: the time set by policy. 0: release immediately.">
          {(id) => (
            <input
              id={id}
              type="number"
              min={0}
              max={43_200}
              className="field"
              value={extra.notice}
              onChange={(event) => onExtra({ ...extra, notice: event.target.value })}
            />
          )}
        </Field>
      )}
      {verb === 'reimage' && (
        <ImageChoice node={node} image={extra.image} onChoose={(image) => onExtra({ ...extra, image })} />
      )}
    </>
  );
}

function sayRunning(verb: Verb, living: readonly AdminAllocation[] | undefined): string {
  if (!living) return 'Running allocations are not known yet.';
  if (living.length > 0) {
    const tenants = new Set(living.map((each) => each.organization_id)).size;
    return `Running on it: ${counted(living.length, 'allocation')} of ${counted(tenants, 'tenant')}.`;
  }
  return verb === 'drain' ? 'No running allocations: the node is retired at once.' : 'No running allocations.';
}

/** The images that the node's SKU offers. */
function ImageChoice({ node, image, onChoose }: { node: NodeDetail; image: string; onChoose(slug: string): void }) {
  const offered = useAsk(['os-images'], (options) => api.adminOsImages.list({ limit: 100 }, options));
  if (offered.error) return <Problem error={offered.error} />;
  if (!offered.data) return <Loading rows={1} label="Loading the images" />;
  const fitting = offered.data.data.filter(({ active, skus }) => active && skus.includes(node.sku));
  if (fitting.length === 0) return <p className="text-warn">No active image is offered for {node.sku}.</p>;
  return (
    <Field label="Image">
      {(id) => (
        <select id={id} className="field" required value={image} onChange={(event) => onChoose(event.target.value)}>
          <option value="">Choose an image</option>
          {fitting.map(({ slug, display_name }) => (
            <option key={slug} value={slug}>
              {display_name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
