/** The operations that the simulated region has, as MAAS describes its own: clients build themselves from this document. */
interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly name: string;
  readonly op: string | null;
}
interface Resource {
  readonly name: string;
  readonly path: string;
  readonly params: readonly string[];
  readonly operations: readonly Operation[];
}
const post = (...names: readonly string[]): Operation[] => names.map((name) => ({ method: 'POST', name, op: name }));
const read: Operation = { method: 'GET', name: 'read', op: null };

const resources: readonly Resource[] = [
  { name: 'VersionHandler', path: 'version/', params: [], operations: [read] },
  {
    ...{ name: 'UsersHandler', path: 'users/', params: [] },
    operations: [read, { method: 'GET', name: 'whoami', op: 'whoami' }],
  },
  { name: 'MachinesHandler', path: 'machines/', params: [], operations: [read, ...post('allocate')] },
  {
    ...{ name: 'MachineHandler', path: 'machines/{system_id}/', params: ['system_id'] },
    operations: [
      read,
      { method: 'PUT', name: 'update', op: null },
      { method: 'GET', name: 'query_power_state', op: 'query_power_state' },
      ...post('commission', 'deploy', 'release', 'abort', 'power_on', 'power_off', 'set_owner_data'),
    ],
  },
];

export function describeApi(base: string): object {
  const handler = ({ name, path, params, operations }: Resource) => ({
    name,
    doc: `${name} of a simulated region.`,
    params,
    path: `${new URL(base).pathname}/api/2.0/${path}`,
    uri: `${base}/api/2.0/${path}`,
    actions: operations.map(({ method, name: called, op }) => ({
      ...{ method, name: called, op, restful: op === null, doc: `${called} of ${name}.` },
    })),
  });
  return {
    doc: 'A simulated MAAS region: its machines do not exist.',
    hash: 'simulated',
    resources: resources.map((each) => ({
      name: each.name,
      anon: each.name === 'VersionHandler' ? handler(each) : null,
      auth: handler(each),
    })),
  };
}
