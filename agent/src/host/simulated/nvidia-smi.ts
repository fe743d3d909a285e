import type { GpuEvidence } from '@gpuaas/contract/node';
import { gpuModels, type Hardware } from './hardware.ts';

/**
 * A script that answers as `nvidia-smi` does, with the GPUs of one simulated machine: the default table, `-L`, and
 * `--query-gpu` with `--format=csv`. It holds its answers, so that a shell needs nothing from the agent.
 */
export interface SmiPicture {
  readonly hardware: Pick<Hardware, 'driverVersion' | 'cudaVersion' | 'model'>;
  readonly gpus: readonly (GpuEvidence & { readonly utilization: number })[];
  /** Why the tool fails altogether, where it does. */
  readonly failure?: string | undefined;
}

const idlePowerW = 81;
const idleCelsius = 31;
const firstPid = 4_210;

/** `0000:1b:00.0` as the tool writes it. */
const busId = (pciAddress: string): string => pciAddress.toUpperCase().padStart(16, '0').slice(-16);

interface Reading {
  readonly index: number;
  readonly gpu: GpuEvidence;
  readonly celsius: number;
  readonly drawW: number;
  readonly limitW: number;
  readonly usedMib: number;
  readonly utilization: number;
}

const readingsOf = ({ hardware, gpus }: SmiPicture): Reading[] =>
  gpus.map((gpu, index) => {
    const { powerW } = gpuModels[hardware.model];
    const share = gpu.utilization / 100;
    return {
      index,
      gpu,
      celsius: Math.round(idleCelsius + 35 * share),
      drawW: Math.round(idlePowerW + (powerW - idlePowerW) * share),
      limitW: powerW,
      usedMib: Math.round(gpu.memory_mib * share * 0.8),
      utilization: gpu.utilization,
    };
  });

/** The fields that may be asked for: the label of the column, and the value. */
const fields: Readonly<
  Record<string, { readonly unit?: string; value(reading: Reading, picture: SmiPicture): string | number }>
> = {
  index: { value: ({ index }) => index },
  count: { value: (_, { gpus }) => gpus.length },
  name: { value: ({ gpu }) => gpu.model },
  gpu_name: { value: ({ gpu }) => gpu.model },
  uuid: { value: ({ gpu }) => gpu.uuid },
  gpu_uuid: { value: ({ gpu }) => gpu.uuid },
  'pci.bus_id': { value: ({ gpu }) => busId(gpu.pci_address) },
  gpu_bus_id: { value: ({ gpu }) => busId(gpu.pci_address) },
  driver_version: { value: (_, { hardware }) => hardware.driverVersion },
  'memory.total': { unit: 'MiB', value: ({ gpu }) => gpu.memory_mib },
  'memory.used': { unit: 'MiB', value: ({ usedMib }) => usedMib },
  'memory.free': { unit: 'MiB', value: ({ gpu, usedMib }) => gpu.memory_mib - usedMib },
  'utilization.gpu': { unit: '%', value: ({ utilization }) => utilization },
  'utilization.memory': { unit: '%', value: ({ utilization }) => Math.round(utilization / 2) },
  'temperature.gpu': { value: ({ celsius }) => celsius },
  'power.draw': { unit: 'W', value: ({ drawW }) => drawW.toFixed(2) },
  'power.limit': { unit: 'W', value: ({ limitW }) => limitW.toFixed(2) },
  'clocks.current.sm': { unit: 'MHz', value: ({ utilization }) => (utilization > 0 ? 1_980 : 345) },
  'clocks.current.memory': { unit: 'MHz', value: () => 3_201 },
  'ecc.mode.current': { value: () => 'Enabled' },
  'ecc.errors.uncorrected.volatile.total': { value: () => 0 },
  'mig.mode.current': { value: () => 'Disabled' },
  compute_mode: { value: () => 'Default' },
  persistence_mode: { value: () => 'Enabled' },
  'pcie.link.gen.current': { value: () => 5 },
  'pcie.link.width.current': { value: () => 16 },
  pstate: { value: () => 'P0' },
  vbios_version: { value: (_, { hardware }) => gpuModels[hardware.model].vbios },
};

const thin = '+-----------------------------------------+------------------------+----------------------+';
const whole = `+${'-'.repeat(89)}+`;

/** The default table without its first line, which is the time. */
export function smiTable(picture: SmiPicture): string {
  const { driverVersion, cudaVersion } = picture.hardware;
  const heading = `NVIDIA-SMI ${driverVersion.padEnd(22)} Driver Version: ${driverVersion.padEnd(14)} CUDA Version: ${cudaVersion.padEnd(8)}`;
  return [
    whole,
    `| ${heading} |`,
    thin,
    '| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |',
    '| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |',
    '|                                         |                        |               MIG M. |',
    '|=========================================+========================+======================|',
    ...readingsOf(picture).flatMap(({ index, gpu, celsius, drawW, limitW, usedMib, utilization }) => [
      `| ${String(index).padStart(3)}  ${gpu.model.padEnd(31)}On  |   ${busId(gpu.pci_address)} Off |                    0 |`,
      `| N/A  ${`${celsius}C`.padStart(4)}    P0   ${`${drawW}W`.padStart(13)} / ${`${limitW}W`.padStart(5)} |${`${usedMib}MiB`.padStart(11)} / ${`${gpu.memory_mib}MiB`.padStart(9)} |${`${utilization}%`.padStart(8)}      Default |`,
      '|                                         |                        |             Disabled |',
      thin,
    ]),
    '',
    whole,
    '| Processes:                                                                              |',
    '|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |',
    '|        ID   ID                                                               Usage      |',
    '|=========================================================================================|',
    ...processLines(picture),
    whole,
  ].join('\n');
}

/** Processes that compute are in the list; on an idle machine it is empty. */
function processLines(picture: SmiPicture): string[] {
  const busy = readingsOf(picture).filter(({ utilization }) => utilization > 0);
  if (busy.length === 0) return [`|${'  No running processes found'.padEnd(whole.length - 2)}|`];
  return busy.map(({ index, usedMib }) => {
    const process = `|  ${String(index).padStart(3)}   N/A  N/A  ${String(firstPid + index).padStart(14)}      C   python3`;
    const memory = `${usedMib}MiB |`;
    return `${process.padEnd(whole.length - memory.length)}${memory}`;
  });
}

const quoted = (text: string | number): string => `'${String(text).replaceAll("'", `'\\''`)}'`;

export function nvidiaSmiScript(picture: SmiPicture): string {
  const readings = readingsOf(picture);
  const fallen = picture.gpus.find(({ healthy }) => !healthy);
  const failure =
    picture.failure ??
    (fallen &&
      `Unable to determine the device handle for GPU${busId(fallen.pci_address)}: GPU is lost.  Reboot the system to recover this GPU`);
  const cases = Object.entries(fields).flatMap(([name, { value }]) =>
    readings.map((reading) => `    ${reading.index}.${name}) echo ${quoted(value(reading, picture))} ;;`),
  );
  const labels = Object.entries(fields).map(
    ([name, { unit }]) => `    ${name}) echo ${quoted(unit ? `${name} [${unit}]` : name)} ;;`,
  );
  const units = Object.entries(fields).flatMap(([name, { unit }]) =>
    unit ? [`    ${name}) echo ${quoted(` ${unit}`)} ;;`] : [],
  );
  return `#!/bin/sh
# Answers for the GPUs of a simulated machine.
${failure ? `echo ${quoted(failure)}\nexit 15` : ''}
gpus=${quoted(readings.map(({ index }) => index).join(' '))}
value() {
  case "$1.$2" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
label() {
  case "$1" in
${labels.join('\n')}
    *) return 1 ;;
  esac
}
unit() {
  case "$1" in
${units.join('\n')}
  esac
}
list() {
  for gpu in $gpus; do
    echo "GPU $gpu: $(value "$gpu" name) (UUID: $(value "$gpu" uuid))"
  done
}
query() {
  IFS=,
  heading= ; separator=
  for field in $1; do
    field=$(echo "$field" | tr -d ' ')
    text=$(label "$field") || { echo "Field \\"$field\\" is not a valid field to query."; exit 2; }
    heading="$heading$separator$text" ; separator=', '
  done
  case ",$format," in *,noheader,*) ;; *) echo "$heading" ;; esac
  fields=$1
  IFS=' '
  for gpu in $gpus; do
    row= ; separator=
    IFS=,
    for field in $fields; do
      field=$(echo "$field" | tr -d ' ')
      text=$(value "$gpu" "$field")
      case ",$format," in *,nounits,*) ;; *) text="$text$(unit "$field")" ;; esac
      row="$row$separator$text" ; separator=', '
    done
    IFS=' '
    echo "$row"
  done
}
asked= ; format=
while [ $# -gt 0 ]; do
  case "$1" in
    -L | --list-gpus) asked=list ;;
    --query-gpu=*) asked=query ; wanted=\${1#*=} ;;
    --format=*) format=\${1#*=} ;;
    -i | --id) gpus=$2 ; shift ;;
    --id=*) gpus=\${1#*=} ;;
    --version) echo ${quoted(`NVIDIA-SMI version  : ${picture.hardware.driverVersion}`)} ; exit 0 ;;
    -h | --help) echo 'nvidia-smi [-L] [-i ID] [--query-gpu=FIELDS --format=csv[,noheader][,nounits]]' ; exit 0 ;;
    *) echo "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help." ; exit 6 ;;
  esac
  shift
done
for gpu in $gpus; do
  value "$gpu" index >/dev/null || { echo 'No devices were found' ; exit 6 ; }
done
case "$asked" in
  list) list ;;
  query) query "$wanted" ;;
  *)
    date '+%a %b %e %H:%M:%S %Y       '
    cat <<'TABLE'
${smiTable(picture)}
TABLE
    ;;
esac
`;
}
