/**
 * What the product can do, in our own words, one row per acceptance id. A row says what would be true if its tests pass,
 * and nothing here says whether they do: the page is written from the results of a run.
 */
export interface Capability {
  readonly id: string;
  /** Other ids of the same capability; a test may carry any of them. */
  readonly also?: readonly string[];
  readonly words: string;
}
export interface CapabilityGroup {
  readonly name: string;
  readonly rows: readonly Capability[];
}

export const capabilityGroups: readonly CapabilityGroup[] = [
  {
    name: 'App Platform',
    rows: [
      { id: 'LAY-12', words: 'JupyterLab, vLLM, Ollama, Slurm and RKE2 run as published apps, not as special cases' },
      { id: 'GAP-12', words: 'An app instance cannot outlive the capacity it runs on' },
      { id: 'GAP-29', words: 'Shared runtimes can be attached to, listed and drained through the API' },
      { id: 'GAP-31', words: 'Apps are metered and their use is billed' },
    ],
  },
  {
    name: 'Writing and the record',
    rows: [
      {
        id: 'GAP-01',
        also: ['CON-07', 'ACT-01', 'FLW-P2'],
        words: 'A repeated request with the same Idempotency-Key is answered from the stored response',
      },
      { id: 'GAP-02', also: ['CON-08', 'SEC-10'], words: 'A change and its audit row are one transaction' },
      { id: 'FLW-P3', words: 'A change and the events it causes are one transaction' },
      {
        id: 'GAP-07',
        also: ['CON-12', 'ACT-02', 'STM-01'],
        words: 'States change along the edges of one table, and of two concurrent changes one wins',
      },
      {
        id: 'X-08',
        words: 'The idempotency key may come under either of its two names, never under both with two values',
      },
      { id: 'DB-02', words: 'Audit and ledger rows refuse to be changed or removed, by the database itself' },
      { id: 'DB-03', words: 'An event is in the outbox exactly when its change is in the tables' },
      { id: 'DB-04', words: 'Every migration can be taken back' },
      { id: 'DB-07', words: 'The committed schema equals all migrations applied, and old migrations are as they were' },
      {
        id: 'GAP-24',
        also: ['ACT-08'],
        words: 'Migrations are numbered, run up and down, and older ones never change',
      },
      { id: 'GAP-27', words: 'Money, replay and dead letters are tested on a real Postgres' },
    ],
  },
  {
    name: 'Node agent',
    rows: [
      { id: 'SEC-01', words: 'A node dials out and is never dialled: the control plane holds no way into a host' },
      {
        id: 'SEC-02',
        words:
          'The key of the connection and the key that signs tasks are two; having one of them unlocks nothing of the other',
      },
      {
        id: 'SEC-03',
        words: 'A task is obeyed once: ids that were seen survive a restart, and expired ones are refused',
      },
      {
        id: 'SEC-04',
        words: 'A host enrols with a one-time token at its only destination, which asks the authority for it',
      },
      { id: 'SEC-05', words: 'Tasks are rows, signed when they are decided, and handed out to their node alone' },
      { id: 'SEC-06', words: 'A node is known by the URI of its certificate, alone and in full, on every request' },
      { id: 'TSK-01', words: 'A host says what it is made of: GPUs, sides, fabric, disks, and what still blocks it' },
      { id: 'TSK-04', words: 'A whole host is handed over as a login that is made once and proven before it opens' },
      { id: 'TSK-05', words: 'A login is taken away with everything that runs in its name, and proven gone' },
      { id: 'SEC-07', words: 'A terminal runs with the user and group of its login, and with no other group or right' },
      { id: 'TSK-11', words: 'Every task is typed, signed, addressed and expiring, and nothing else reaches a host' },
      {
        id: 'CAP-04',
        words: 'A lease is a file on the node, fenced by generation, kept through crashes and ended at its deadline',
      },
    ],
  },
  {
    name: 'Tenancy and access',
    rows: [
      {
        id: 'GAP-06',
        also: ['CON-11', 'SEC-11'],
        words: 'The tenant is resolved before a handler runs; a foreign object looks like an absent one',
      },
      { id: 'SVC-01', words: 'Identity comes from an OpenID provider, roles from membership' },
      { id: 'CLI-01', words: 'The command line signs in through the browser with PKCE, or with a device code' },
      { id: 'SEC-09', words: 'Sessions and tokens that were revoked are refused by every process within five seconds' },
      {
        id: 'GAP-32',
        also: ['SEC-15'],
        words: 'Machines have identities of their own, bounded by project or organization, without a static secret',
      },
      { id: 'GAP-03', also: ['CON-09', 'SEC-08'], words: 'A secret that reaches the logger does not reach the log' },
      {
        id: 'POL-05',
        also: ['POL-01', 'POL-04', 'NUM-06'],
        words: 'Limits differ by person, project, organization and plan, within bounds, and say where they come from',
      },
      { id: 'ACT-11', words: 'Each lane of requests has a budget per caller' },
    ],
  },
  {
    name: 'Events and workflows',
    rows: [
      { id: 'GAP-05', also: ['CON-02', 'X-02'], words: 'An event outside the catalogue cannot be published' },
      {
        id: 'FLW-E1',
        also: ['CON-06', 'FLW-P4', 'ERN-01', 'BIN-12'],
        words: 'Events reach their consumers from the outbox, in order per key, at least once',
      },
      {
        id: 'GAP-10',
        also: ['ACT-03', 'X-09', 'OBS-03'],
        words: 'What cannot be delivered becomes a dead letter that can be inspected and sent again',
      },
      { id: 'EVT-12', words: 'Every event has a producer, and a consumer or a reason' },
      { id: 'FLW-P9', words: 'A workflow waits for an outside answer by token; nobody polls' },
      { id: 'FLW-P10', words: 'A workflow that fails is undone step by step' },
    ],
  },
  {
    name: 'Contract',
    rows: [
      {
        id: 'ERN-05',
        also: ['CON-05', 'LAY-13', 'GRD-01'],
        words: 'API documents are emitted from the contract and cannot drift from it',
      },
      {
        id: 'GOV-03',
        also: ['ACT-17'],
        words: 'A breaking change of the API fails the build, and the check cannot be skipped',
      },
      { id: 'CON-03', words: 'Every refusal has a code of the catalogue and the correlation id that finds it' },
      { id: 'CON-01', words: 'Authentication, idempotency and tenancy are declared the same way on every route' },
      { id: 'GAP-04', also: ['CON-10', 'ACT-06', 'SDK-02'], words: 'Clients are generated from the contract' },
    ],
  },
  {
    name: 'Command line and SDKs',
    rows: [
      {
        id: 'CLI-02',
        words: 'The command line browses the catalogue, launches and releases, sees to members, and exports the record',
      },
      { id: 'CLI-03', words: 'Every operation of the API has a command' },
      { id: 'CLI-04', words: 'Operators have commands too, and their answers are also JSON' },
      { id: 'SDK-01', words: 'Python has a typed SDK, to call or to await, with an exception for every code' },
      { id: 'SUR-11', words: 'What can be entered can be observed: its state, its cause, its timeline and its events' },
    ],
  },
  {
    name: 'Operation',
    rows: [
      { id: 'GAP-25', also: ['OBS-02'], words: 'Every process serves metrics' },
      { id: 'GAP-26', also: ['ACT-09', 'OBS-04'], words: 'Readiness does real work and differs from being alive' },
      {
        id: 'LAY-07',
        also: ['OBS-01', 'EVT-09'],
        words: 'A request can be followed through logs, spans and events by its correlation id',
      },
      { id: 'GOV-12', also: ['ACT-04'], words: 'Formatting, lint and the walls between modules fail the build' },
      {
        id: 'GOV-16',
        also: ['ACT-19'],
        words: 'Every script of the project has a role, and a gate that nobody runs fails the build',
      },
      { id: 'GOV-18', words: 'The share of code that tests run has a floor' },
      { id: 'GOV-15', words: 'A bill of materials names every package' },
      { id: 'GOV-11', words: 'Secrets, licences and unpinned versions fail the build' },
    ],
  },
  {
    name: 'Capacity and nodes',
    rows: [
      { id: 'FLW-P7', words: 'Capacity is allocated, provisioned and released through one state machine' },
      { id: 'FLW-P6', words: 'A node executes signed, typed tasks and nothing else' },
      { id: 'GAP-13', words: 'Nothing is charged before the GPU has been seen working' },
      { id: 'GAP-17', words: 'A lease has a generation: a late or second actor is told apart and refused' },
      {
        id: 'GAP-11',
        words: 'A release that cannot be proven ends in a state that an operator sees, after bounded tries',
      },
      { id: 'GAP-ISO', words: 'Under full-reimage, capacity comes back only when its host has proven the reimage' },
      {
        id: 'FLW-P5',
        words: 'Workers drive the life of an allocation step by step, each step undone when a later one fails',
      },
      {
        id: 'CAP-01',
        also: ['CAP-02'],
        words: 'Slices and whole nodes are sold from a catalogue that operators change through the API',
      },
      { id: 'CAP-03', words: 'Availability counts what would really fit, and a reserved slot is nobody else’s' },
      { id: 'FLW-P1', words: 'Capacity is asked for through the API, by people and by machines' },
      { id: 'FLW-P8', words: 'Whoever watches hears every change of an allocation as an event' },
      { id: 'STM-02', words: 'A place is reserved with the request, leased on the node, and freed with the end' },
      { id: 'CAP-05', words: 'A slice stays in one NUMA group with its fabric, and large holes stay whole' },
      { id: 'STM-08', words: 'A host is enrolled, published, drained, quarantined and retired along one table' },
      { id: 'GAP-14', words: 'A dirty slot is quarantined and never handed out' },
      { id: 'ACT-13', words: 'Slices on one host cannot reach each other' },
      { id: 'NOB-01', words: 'Fractions of a GPU (MIG) can be rented' },
    ],
  },
  {
    name: 'Money',
    rows: [
      { id: 'FLW-B1', words: 'Use is charged from windows into a ledger that is only ever added to' },
      { id: 'FLW-B2', words: 'A falling balance warns, then releases' },
      { id: 'GAP-23', words: 'Payments can be refunded and are reconciled' },
    ],
  },
  {
    name: 'Terminal',
    rows: [
      { id: 'FLW-A1', words: 'A browser terminal opens through a short-lived, single-use token' },
      { id: 'GAP-18', words: 'A flood of output keeps memory flat' },
      { id: 'ACT-14', words: 'Sessions are recorded and can be played back' },
    ],
  },
];

/** Every id that a test may carry, with the id of the row it belongs to. */
export const rowIds = (groups: readonly CapabilityGroup[]): ReadonlyMap<string, string> =>
  new Map(
    groups.flatMap(({ rows }) => rows.flatMap(({ id, also = [] }) => [id, ...also].map((any) => [any, id] as const))),
  );
