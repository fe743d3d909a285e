import type { Allocation, CatalogVersion } from '@gpuaas/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { Choice, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import {
  type AppPlace,
  defaultsOf,
  parametersOf,
  placesFor,
  type Typed,
  tellNeeds,
  unitPrices,
  valuesOf,
} from '../../words/apps.ts';
import { spellMoney } from '../../words/money.ts';
import { counted } from '../../words/sizes.ts';
import { hourly } from '../../words/wish.ts';
import { ParameterFields } from './parameter-fields.tsx';

const mostPlaces = 200;

/** Where the app can run: allocations of whole nodes that are active, and whole nodes that are free. */
function useSites({ manifest }: Pick<CatalogVersion, 'manifest'>) {
  const allocations = useAsk(['allocations', 'for-apps'], (options) =>
    api.allocations.list({ state: 'active', limit: mostPlaces }, options),
  );
  const catalog = useAsk(['catalog', 'for-apps'], (options) => api.catalog.list({ limit: mostPlaces }, options));
  const own = allocations.data?.data.filter(({ capacity_shape }) => capacity_shape === 'baremetal') ?? [];
  const places = placesFor(catalog.data?.data ?? [], manifest);
  return { own, places, error: allocations.error ?? catalog.error, isReady: allocations.data && catalog.data };
}

const tellOwn = ({ name, sku, region }: Allocation): string => `${name}: ${sku} in ${region}`;
function tellPlace({ item, region, gpus }: AppPlace): string {
  const price = hourly(item, region, gpus);
  return `A new ${item.display_name} in ${region}, ${counted(gpus, 'GPU')}${price ? `: ${spellMoney(price)} per hour` : ''}`;
}

/** Launches one version: on an allocation of a whole node, or together with a new one. */
export function LaunchAppDialog({
  reference,
  version,
  onClose,
}: {
  reference: string;
  version: CatalogVersion;
  onClose(): void;
}) {
  const navigate = useNavigate();
  const { own, places, error, isReady } = useSites(version);
  const parameters = parametersOf(version.manifest);
  const [name, setName] = useState('');
  const [site, setSite] = useState('');
  const [typed, setTyped] = useState<Typed>(() => defaultsOf(parameters));
  const sites = [
    ...own.map((each) => ({ key: each.id, label: tellOwn(each), where: { allocation_id: each.id } })),
    ...places.map((place) => ({
      key: `${place.item.sku} ${place.region} ${place.gpus}`,
      label: tellPlace(place),
      where: { allocation: { sku: place.item.sku, region: place.region, gpus: place.gpus } },
    })),
  ];
  const chosen = sites.find(({ key }) => key === site) ?? sites[0];
  const launch = useAct(
    'app launch',
    (input: Parameters<typeof api.appInstances.create>[0], options) => api.appInstances.create(input, options),
    {
      stale: ['app-instances', 'allocations', 'catalog', 'balance'],
      done: ({ id }) => void navigate({ to: '/app-instances/$id', params: { id } }),
    },
  );
  const prices = unitPrices(version.manifest);
  const isNew = chosen !== undefined && 'allocation' in chosen.where;
  return (
    <FormDialog
      title={`Launch ${version.manifest.metadata.name} ${version.version}`}
      lead={`It needs ${tellNeeds(version.manifest)}.${prices.length > 0 ? ` Beside its allocation it costs ${prices.join(', ')}.` : ''}`}
      verb="Launch"
      busy={launch.isPending}
      ready={chosen !== undefined}
      error={launch.error}
      onClose={onClose}
      onSubmit={() => {
        if (!chosen) return;
        launch.mutate({
          app: reference,
          version: version.version,
          ...(name.trim() && { name: name.trim() }),
          parameters: valuesOf(parameters, typed),
          ...chosen.where,
        });
      }}
    >
      {error && <Problem error={error} />}
      {!isReady && !error && <Loading rows={2} label="Loading where it can run" />}
      {isReady && !chosen && (
        <p role="status" className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
          No whole node is free, and this project has no active allocation of one.
        </p>
      )}
      {chosen && (
        <Choice
          label="Where"
          hint={
            isNew
              ? 'The allocation is released together with the app. It costs this much until then.'
              : 'The allocation stays when the app is released.'
          }
          value={chosen.key}
          options={sites.map(({ key, label }) => [key, label])}
          onChoose={setSite}
        />
      )}
      <TextField
        label="Name"
        hint="Optional. The name of the app when left empty."
        maxLength={100}
        value={name}
        onChange={setName}
      />
      <ParameterFields
        parameters={parameters}
        required={version.manifest.parameters?.required ?? []}
        typed={typed}
        onType={(field, value) => setTyped((before) => ({ ...before, [field]: value }))}
      />
    </FormDialog>
  );
}
