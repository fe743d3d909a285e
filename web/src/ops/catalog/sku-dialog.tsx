import type { Sku } from '@gpuaas/sdk';
import { type ReactNode, useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { profilesFor, readCounts } from '../../words/ops/sku.ts';

interface Draft {
  readonly sku: string;
  readonly displayName: string;
  readonly vendor: string;
  readonly model: string;
  readonly memoryGib: string;
  readonly shape: Sku['capacity_shape'];
  readonly total: string;
  readonly counts: string;
  readonly vcpus: string;
  readonly ramGib: string;
}
const draftOf = (sku: Sku | undefined): Draft => ({
  sku: sku?.sku ?? '',
  displayName: sku?.display_name ?? '',
  vendor: sku?.vendor ?? 'NVIDIA',
  model: sku?.gpu_model ?? '',
  memoryGib: sku ? String(Math.round(sku.gpu_memory_mib / 1024)) : '',
  shape: sku?.capacity_shape ?? 'gpu_slice',
  total: String(sku?.gpus_total ?? 8),
  counts: (sku?.allowed_gpu_counts ?? [1, 2, 4, 8]).join(', '),
  vcpus: '16',
  ramGib: '200',
});

/** A new SKU, or the changeable fields of an existing one. Existing allocations keep their terms. */
export function SkuDialog({ sku, onClose, onMade }: { sku: Sku | undefined; onClose(): void; onMade(sku: Sku): void }) {
  const [draft, setDraft] = useState(draftOf(sku));
  const change = (next: Partial<Draft>) => setDraft((known) => ({ ...known, ...next }));
  const counts = readCounts(draft.counts);
  const isSlice = draft.shape === 'gpu_slice';
  const save = useAct(
    'sku save',
    (given: Draft, options) =>
      sku
        ? api.adminSkus.update({ sku: sku.sku, ...changesOf(sku, given) }, options)
        : api.adminSkus.create(newSku(given), options),
    {
      stale: ['skus', 'catalog'],
      done: (made) => {
        onClose();
        // A SKU without a price cannot be rented, so prices are the next step.
        if (!sku) onMade(made);
      },
    },
  );
  const text = (
    name: keyof Draft,
    label: string,
    more: { hint?: ReactNode; pattern?: string; mode?: 'numeric' } = {},
  ) => (
    <Field label={label} {...(more.hint !== undefined && { hint: more.hint })}>
      {(id) => (
        <input
          id={id}
          required
          maxLength={100}
          className="field"
          value={draft[name]}
          {...(more.pattern && { pattern: more.pattern })}
          {...(more.mode && { inputMode: more.mode, pattern: '[1-9][0-9]*' })}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <FormDialog
      title={sku ? `Edit ${sku.display_name}` : 'A new SKU'}
      lead={sku ? 'Running allocations keep their terms.' : 'Tenants can launch it once it has a price and a node.'}
      verb={sku ? 'Save' : 'Create'}
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={() => {
        if (counts || !isSlice) save.mutate(draft);
      }}
    >
      {!sku &&
        text('sku', 'ID', {
          hint: 'Lower case letters, digits and dashes.',
          pattern: '[a-z0-9][a-z0-9.\\-]*',
        })}
      {text('displayName', 'Display name')}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {text('vendor', 'Vendor')}
        {text('model', 'GPU', { hint: 'As reported by the driver.' })}
        {text('memoryGib', 'Memory of a GPU, GiB', { mode: 'numeric' })}
        {!sku && (
          <Field label="Shape">
            {(id) => (
              <select
                id={id}
                className="field"
                value={draft.shape}
                onChange={(event) => change({ shape: event.target.value as Draft['shape'] })}
              >
                <option value="gpu_slice">virtual machine</option>
                <option value="baremetal">whole host</option>
              </select>
            )}
          </Field>
        )}
        {!sku && text('total', 'GPUs of a host', { mode: 'numeric' })}
        {isSlice &&
          text('counts', 'Sizes', {
            hint: counts
              ? 'GPU counts that tenants can choose.'
              : 'Whole numbers with commas between, e.g. 1, 2, 4, 8.',
          })}
        {!sku && isSlice && text('vcpus', 'vCPUs for each GPU', { mode: 'numeric' })}
        {!sku && isSlice && text('ramGib', 'Memory for each GPU, GiB', { mode: 'numeric' })}
      </div>
    </FormDialog>
  );
}

function newSku(given: Draft) {
  const isSlice = given.shape === 'gpu_slice';
  const counts = isSlice ? (readCounts(given.counts) ?? []) : [Number(given.total)];
  const perGpu = { vcpus: Number(given.vcpus), memoryMib: Number(given.ramGib) * 1024 };
  return {
    sku: given.sku.trim(),
    vendor: given.vendor.trim(),
    display_name: given.displayName.trim(),
    gpu_model: given.model.trim(),
    gpu_memory_mib: Number(given.memoryGib) * 1024,
    capacity_shape: given.shape,
    gpus_total: Number(given.total),
    allowed_gpu_counts: counts,
    ...(isSlice && { resource_profile: { fabric: 'none', slice_vm_profiles: profilesFor(counts, perGpu) } as const }),
  };
}

/** Only changed fields: a memory that is shown rounded must not be sent rounded. */
function changesOf(sku: Sku, given: Draft) {
  const before = draftOf(sku);
  const counts = readCounts(given.counts);
  const { resource_profile: profile } = sku;
  const [first] = profile.slice_vm_profiles;
  const missing = counts?.filter((count) => !profile.slice_vm_profiles.some(({ gpus }) => gpus === count)) ?? [];
  return {
    ...(given.displayName !== before.displayName && { display_name: given.displayName.trim() }),
    ...(given.vendor !== before.vendor && { vendor: given.vendor.trim() }),
    ...(given.model !== before.model && { gpu_model: given.model.trim() }),
    ...(given.memoryGib !== before.memoryGib && { gpu_memory_mib: Number(given.memoryGib) * 1024 }),
    ...(sku.capacity_shape === 'gpu_slice' &&
      counts &&
      given.counts !== before.counts && {
        allowed_gpu_counts: counts,
        // A new GPU count needs a machine size; it gets the proportions of the first one.
        ...(first &&
          missing.length > 0 && {
            resource_profile: {
              ...profile,
              slice_vm_profiles: [
                ...profile.slice_vm_profiles,
                ...profilesFor(missing, {
                  vcpus: Math.ceil(first.vcpus / first.gpus),
                  memoryMib: Math.ceil(first.memory_mib / first.gpus),
                }),
              ],
            },
          }),
      }),
  };
}
