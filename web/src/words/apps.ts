import type { AppManifest, CatalogItem } from '@gpuaas/sdk';
import { spellMoney } from './money.ts';
import { counted, spellMemory } from './sizes.ts';
import { hasStock, stockOf } from './wish.ts';

/** What an app asks for and where it fits, without a call. */

type Parameters = NonNullable<AppManifest['parameters']>;
export type AppParameter = Parameters['properties'][string];
export type ParameterValues = Readonly<Record<string, string | number | boolean>>;
/** What the fields of the form hold: numbers as they are typed. */
export type Typed = Readonly<Record<string, string | boolean>>;

export type NamedParameter = readonly [name: string, parameter: AppParameter];
const orderOf = ([, parameter]: NamedParameter): number => parameter['x-ui']?.order ?? 0;
/** The parameters in the order of the publisher. */
export const parametersOf = ({ parameters }: Pick<AppManifest, 'parameters'>): readonly NamedParameter[] =>
  Object.entries(parameters?.properties ?? {}).sort((a, b) => orderOf(a) - orderOf(b));

/** A form that holds the defaults. */
export const defaultsOf = (parameters: readonly NamedParameter[]): Typed =>
  Object.fromEntries(
    parameters.map(([name, parameter]) => [
      name,
      parameter.type === 'boolean' ? (parameter.default ?? false) : String(parameter.default ?? ''),
    ]),
  );

/** The values of a launch. A field that is left empty is left to the app; the server names what is missing. */
export function valuesOf(parameters: readonly NamedParameter[], typed: Typed): ParameterValues {
  const values: Record<string, string | number | boolean> = {};
  for (const [name, { type }] of parameters) {
    const value = typed[name] ?? '';
    if (type === 'boolean') values[name] = value === true;
    else if (typeof value === 'string' && value.trim() !== '') values[name] = type === 'string' ? value : Number(value);
  }
  return values;
}

export interface AppPlace {
  readonly item: CatalogItem;
  readonly region: string;
  readonly gpus: number;
}
/** The whole nodes on which an app can be launched now. */
export function placesFor(
  items: readonly CatalogItem[],
  { resources }: Pick<AppManifest, 'resources'>,
): readonly AppPlace[] {
  const least = resources.gpu?.min ?? 0;
  return items
    .filter((item) => item.capacity_shape === 'baremetal' && hasStock(item))
    .flatMap((item) =>
      [...new Set(item.availability.map(({ region }) => region))].flatMap((region) =>
        item.allowed_gpu_counts
          .filter((gpus) => gpus >= least && stockOf(item, region, gpus) > 0)
          .map((gpus) => ({ item, region, gpus })),
      ),
    );
}

/** `1 to 8 GPUs, 16 CPUs, 64 GiB of memory`. */
export function tellNeeds({ resources: { gpu, cpu_millis, memory_mib } }: Pick<AppManifest, 'resources'>): string {
  const gpus =
    !gpu || gpu.max === 0
      ? 'no GPU'
      : gpu.min === gpu.max
        ? counted(gpu.max, 'GPU')
        : `${gpu.min} to ${counted(gpu.max, 'GPU')}`;
  return `${gpus}, ${counted(cpu_millis / 1_000, 'CPU')}, ${spellMemory(memory_mib)} of memory`;
}

const perWords: Readonly<Record<number, string>> = { 1: '', 1000: '1,000 ', 1000000: '1,000,000 ' };
/** What a version asks for its units: `$0.15 for 1,000,000 token (tokens)`. */
export const unitPrices = ({ metering }: Pick<AppManifest, 'metering'>): readonly string[] =>
  (metering ?? []).flatMap(({ name, unit, price }) =>
    price
      ? [
          `${spellMoney({ amount_minor: price.amount_minor, currency: price.currency })} for ${perWords[price.per] ?? ''}${unit} (${name})`,
        ]
      : [],
  );
