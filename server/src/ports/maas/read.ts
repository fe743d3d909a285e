import { MaasAway, type MaasMachine, type MaasPower, type MaasStatus, maasStatuses } from './port.ts';

/** Fields of MAAS as they are shown; whatever is missing or of another kind is not a machine. */
export function readMachine(value: unknown): MaasMachine {
  const from = value as Readonly<Record<string, unknown>> | null;
  if (typeof from !== 'object' || from === null) throw new MaasAway('MAAS answered something that is no machine');
  const systemId = from['system_id'];
  if (typeof systemId !== 'string' || !/^[a-z0-9]{1,32}$/.test(systemId)) {
    throw new MaasAway('MAAS answered a machine without an id');
  }
  return {
    systemId,
    hostname: textOf(from['hostname']),
    status: statusOf(from['status']),
    detail: textOf(from['status_message']).slice(0, detailLength),
    power: powerOf(from['power_state']),
    owner: textOf(from['owner']) || undefined,
    notes: notesOf(from['owner_data']),
    architecture: textOf(from['architecture']),
    cpus: countOf(from['cpu_count']),
    memoryMib: countOf(from['memory']),
    tags: textsOf(from['tag_names']),
    addresses: textsOf(from['ip_addresses']),
    isLocked: from['locked'] === true,
  };
}

export function readMachines(value: unknown): MaasMachine[] {
  if (!Array.isArray(value)) throw new MaasAway('MAAS answered something that is no list of machines');
  return value.map(readMachine);
}

const detailLength = 500;
const nameLength = 253;
const listLength = 64;
const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, detailLength) : '');
const countOf = (value: unknown): number => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0);
const textsOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value
        .filter((each) => typeof each === 'string' && each.length <= nameLength)
        .slice(0, listLength)
        .map(String)
    : [];
const statusOf = (value: unknown): MaasStatus => maasStatuses[value as keyof typeof maasStatuses] ?? 'unknown';
const powers: readonly MaasPower[] = ['on', 'off', 'error'];
const powerOf = (value: unknown): MaasPower => powers.find((each) => each === value) ?? 'unknown';
const notesOf = (value: unknown): Record<string, string> =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === 'string'))
    : {};
