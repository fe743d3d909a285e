import type { NodeDetail } from '@gpuaas/sdk';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Loading, Problem } from '../../parts/states.tsx';

/** The images that a host needs before it takes work, and whether it has exactly those. */
export function NodeImages({ node }: { node: NodeDetail }) {
  const mayNote = useMay()('node_image_set');
  const offered = useAsk(['os-images'], (options) => api.adminOsImages.list({ limit: 100 }, options));
  const held = useAsk(['nodes', node.id, 'images'], (options) =>
    api.adminOsImages.nodeList({ node_id: node.id }, options),
  );
  const note = useAct(
    'node image',
    ({ slug, digest }: { slug: string; digest: string }, options) =>
      api.adminOsImages.nodeSet({ node_id: node.id, os_image: slug, digest }, options),
    { stale: ['nodes', 'os-images'] },
  );
  const error = offered.error ?? held.error;
  if (error) return <Problem error={error} />;
  if (!offered.data || !held.data) return <Loading rows={2} label="Loading the images" />;
  const wanted = offered.data.data.filter(({ active, skus }) => active && skus.includes(node.sku));
  const isLacking = wanted.some(({ slug }) => !held.data.data.some((found) => found.slug === slug && found.current));
  if (wanted.length === 0) return <p className="text-dim">The SKU of this node needs no image.</p>;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {wanted.map((image) => {
          const found = held.data.data.find(({ slug }) => slug === image.slug);
          return (
            <li key={image.slug} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <span className="min-w-0 max-w-full grow basis-64">
                <span className="font-medium">{image.display_name}</span>
                <span className="block truncate font-mono text-xs text-dim">{image.digest}</span>
              </span>
              {found?.current ? (
                <Chip tone="ok">on the host</Chip>
              ) : (
                <span className="flex items-center gap-2">
                  <Chip tone="warn">{found ? 'another version' : 'not on the host'}</Chip>
                  {mayNote && (
                    <Button
                      aria-label={`Confirm that ${image.display_name} is on the host`}
                      busy={note.isPending && note.variables?.slug === image.slug}
                      onClick={() => note.mutate({ slug: image.slug, digest: image.digest })}
                    >
                      Confirm installed
                    </Button>
                  )}
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {note.error && <Problem error={note.error} />}
      {isLacking && mayNote && (
        <p className="text-sm text-dim">Install the image on the host first: slices boot from it.</p>
      )}
    </div>
  );
}
