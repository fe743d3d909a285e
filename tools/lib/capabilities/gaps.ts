import type { CapabilityGroup } from './row.ts';
import { files as t } from './tests.ts';

export const gaps: readonly CapabilityGroup[] = [
  {
    name: 'Named gaps of the described system',
    rows: [
      {
        id: 'GAP-01',
        words:
          'A mutating route cannot exist without protection against repetition; a repetition gets the stored response, another body under the same key is refused',
        by: {
          [t.everyRoute]: [
            'has one effect when 32 requests carry one key',
            'refuses a key that was used for another request',
            'asks for a key',
          ],
          [t.database]: ['answers a repetition with what was stored'],
          [t.databasePostgres]: ['answers a repetition with what was stored'],
        },
      },
      {
        id: 'GAP-02',
        words: 'The audit row is in the transaction of its change, held by the framework and by the database',
        by: {
          [t.database]: [
            'leaves the row, the audit entry and the event together',
            'refuses to commit a change that left no audit row',
          ],
          [t.guards]: ['lets a family leave audit, event and reply through act_commit'],
        },
      },
      {
        id: 'GAP-03',
        words: 'Logger and span exporter redact by default: a planted secret appears in no log, trace or audit row',
        by: {
          [t.log]: ['never shows a secret, wherever it comes in'],
          [t.secrets]: ['stays nowhere, whichever way it comes in'],
          [t.hostileRequests]: ['leaves no planted secret in logs, audit rows, events or problem records'],
          'server/src/kernel/telemetry/trace-redaction.test.ts': ['reaches an exporter without the secrets'],
        },
      },
      {
        id: 'GAP-04',
        words:
          'The generated client is what command line and console use; workers call no API, and nobody calls it by hand',
        by: {
          [t.contractGates]: ['names each file that does not follow from the contract'],
          [t.lifeOfAllocation]: ['the life of an allocation'],
          [t.python]: ['does what all SDKs do with the same answers'],
          [t.canaries]: ['api-calls-by-the-client is reported', 'no-calls-out is reported'],
        },
      },
      {
        id: 'GAP-05',
        words: 'An event that is not declared cannot be published',
        by: {
          [t.database]: [
            'refuses an event whose payload is not as declared',
            'refuses an event that the contract does not name, and keeps nothing of the write',
          ],
        },
      },
      {
        id: 'GAP-06',
        words:
          'The tenant is resolved before a handler runs, and a matrix over all routes shows that a foreign object looks like an absent one',
        by: {
          [t.everyRoute]: ['answers a foreign object exactly as an absent one'],
          [t.authorisation]: ['as the contract says'],
          [t.walls]: ['holds with row-level security alone'],
          [t.tenantPredicates]: ['says of each table whose rows it means', 'is asked of each table, by its alias'],
          [t.guards]: ['shows a family the rows of one organization, and none without one'],
        },
      },
      {
        id: 'GAP-07',
        words:
          'One table of transitions; a stale version conflicts; of a forced release and a user’s release exactly one wins',
        by: {
          [t.machine]: ['goes to', 'is moved by one of many who come at once'],
          [t.database]: ['refuses a change of state that is no edge of the machine'],
          [t.races]: ['have one winner each time, and the others are told'],
        },
      },
      {
        id: 'GAP-ISO',
        words: 'Under full-reimage a slot comes back only after its host was imaged anew',
        by: { [t.sagas]: ['under full-reimage frees its node only when the reimage is proven'] },
        host: 'simulated',
      },
      {
        id: 'GAP-09',
        words: 'The hand-over to MAAS is a workflow with compensation at each step',
        by: {
          'server/src/domains/maas/maas.db.test.ts': [
            'may fail at every step, and leaves no machine deployed without a node and no node without a machine',
            'may be interrupted in every step',
            'may be interrupted while it is taken back',
            'survives an answer of MAAS that was lost after the order was carried out',
          ],
        },
        lacks: 'a real MAAS and real machines: both are simulated here',
      },
      {
        id: 'GAP-10',
        words: 'Dead letters are published, replayed by command, counted and alerted on',
        by: {
          [t.relay]: [
            'makes a dead letter of what the bus refuses',
            'publishes a requeued event again under its own id',
            'shows in its metrics what waits, for how long, and what lies dead',
          ],
          [t.consumer]: ['that always fails leaves a dead letter'],
          [t.tree]: ['obeys the law alerts-have-runbooks'],
          [t.alertRules]: ['DlqDepth is asked about', 'deploy/alerts/events.yml fires when promtool is told'],
        },
      },
      {
        id: 'GAP-11',
        words: 'Forced release ends after bounded tries in release_failed, with an alert and an operator’s action',
        by: {
          [t.allocations]: ['is forced as often as the policy allows, and then settled by an operator who has looked'],
          [t.sagas]: ['is released only with proof'],
          [t.alertRules]: ['SlotCleanupBlocked is asked about', 'deploy/alerts/fleet.yml fires when promtool is told'],
        },
      },
      {
        id: 'GAP-12',
        words: 'App instances and allocations are joined by a foreign key',
        by: {
          'server/src/domains/app-instances/app-instances.db.test.ts': [
            'cannot begin on an allocation that has ended, whatever the code says',
            'ends with its allocation, also while it launches',
          ],
        },
      },
      {
        id: 'GAP-13',
        words: 'Ready means that the device information matches; otherwise it fails closed and nothing is charged',
        by: {
          [t.sagas]: ['fails closed when what its node swears to is not what was promised'],
          'server/src/domains/allocations/life/attestation.test.ts': [
            'never passes with a set of GPUs that is not the promised one',
          ],
          [t.evidence]: ['is refused for a lease that this node never proved ready'],
        },
        host: 'simulated',
      },
      {
        id: 'GAP-14',
        words: 'An unbind that fails is retried, then the slot is quarantined with an alert, and nobody lands on it',
        by: {
          [t.slots]: ['is not taken on a host that takes no work, nor when it is sick'],
          [t.wipeProof]: ['and neither a probe nor quarantine settles that'],
          [t.slices]: ['that does not move at first is tried again, and one that never does is said to be stuck'],
        },
        lacks: 'VFIO on a real host',
      },
      {
        id: 'GAP-15',
        words: 'Shutdown escalates in time to destroy and quarantine, with events',
        by: {
          [t.escalation]: [
            'a node that begins to destroy a machine is heard at once',
            'a machine that was destroyed is in the timeline also when the report of it was lost',
            'slots are quarantined when their node reports guest_hung',
            'slots are quarantined when their node reports vfio_stuck',
            'quarantined slots are emptied by the next try',
          ],
          [t.slices]: [
            'that does not listen is destroyed when its time is over',
            'that cannot be destroyed fails the release',
          ],
          [t.sliceMachines]: ['are destroyed when they do not shut down in their time'],
          'server/src/domains/nodes/operator/operator.db.test.ts': ['counts releases that wait for their machine'],
        },
        lacks: 'a machine that hangs in the kernel of a real host: there the answer of libvirt was replaced',
      },
      {
        id: 'GAP-16',
        words: 'Telemetry of guests is kept',
        by: {
          'server/src/domains/telemetry/telemetry.db.test.ts': ['of a guest is stored only for a slice'],
          'agent/src/telemetry/samples.test.ts': ['survive the process'],
          [t.sliceMachines]: ['report how they are through their host'],
        },
        lacks: 'GPUs: the machines of the tests have a program in the place of nvidia-smi',
      },
      {
        id: 'GAP-17',
        words: 'A lease is fenced by its generation; nothing fails between reservation and lease',
        by: {
          [t.slots]: ['is reserved with all others of its lease under one generation'],
          [t.machine]: ['is not moved by somebody who saw an older version or believes in an older lease'],
          [t.crashes]: ['of an older generation than the one on the door is refused'],
        },
      },
      {
        id: 'GAP-18',
        words: 'A flood of terminal output keeps memory flat',
        by: {
          [t.agentFlood]: ['waits for a reader of 100 KB/s: ring, queue and memory stay bounded'],
          [t.terminalFlow]: ['a writer who reads nothing stops the source, and everything arrives when it reads again'],
        },
      },
      {
        id: 'GAP-19',
        words: 'Peers of terminals are known by the URI of their certificate',
        by: { [t.terminalDoors]: ['lets nodes come as nodes and gateways as copies, and nobody as anything else'] },
      },
      { id: 'GAP-20', words: 'Terminals into app instances', notBuilt: true },
      {
        id: 'GAP-21',
        words: 'A takeover is announced to the tab that loses the shell',
        by: {
          [t.terminalPage]: ['asks in a second tab: read only first, then it takes over and the first tab says so'],
        },
      },
      {
        id: 'GAP-22',
        words: 'The agent ends terminal sessions by itself',
        by: {
          'agent/src/terminal/endings.test.ts': [
            'when no gateway is there for longer than the grace time',
            'at its time, which is the control plane’s',
            'when nothing was typed for too long',
          ],
        },
      },
      { id: 'GAP-23', words: 'Refunds and reconciliation', sameAs: 'PAY-02' },
      {
        id: 'GAP-24',
        words: 'Migrations are numbered and run forward and back',
        by: {
          [t.migrate]: ['applies what is missing, says what', 'goes back one by one, the newest first'],
          [t.migrations]: ['go up, down and up again'],
        },
      },
      {
        id: 'GAP-25',
        words: 'Every process serves metrics',
        by: {
          [t.process]: ['is handed its ports, its settings and the tools that all have'],
          [t.npmStart]: ['prints facts that work'],
        },
        lacks: 'metrics of the agent',
      },
      {
        id: 'GAP-26',
        words: 'Readiness does real work and differs from being alive',
        by: {
          [t.process]: ['is not ready when the work that shows it fails'],
          [t.health]: ['answers 503 when a check fails, and still lives'],
        },
      },
      {
        id: 'GAP-27',
        words: 'Ledger, replay and dead letters have property tests on a real PostgreSQL',
        by: {
          [t.replay]: ['is filled again from the outbox'],
          [t.databasePostgres]: ['lets one of 32 writes with the same key through'],
          [t.ledger]: [
            'has a balance that is the sum of its entries, and postings that sum to zero, whatever is entered',
          ],
          'server/src/domains/outbox/losses.property.db.test.ts': [
            'have one effect each, or are letters that were discarded',
          ],
        },
      },
      { id: 'GAP-28', words: 'Pages on apps have a generated status', sameAs: 'APP-18' },
      { id: 'GAP-29', words: 'Shared runtimes have a whole API', notBuilt: true },
      { id: 'GAP-30', words: 'UI extensions from outside: manifest and SDK', notBuilt: true },
      { id: 'GAP-31', words: 'Apps emit usage', notBuilt: true },
      {
        id: 'GAP-32',
        words: 'Outside workers have a scoped machine identity',
        by: {
          [t.serviceAccounts]: [
            'serves several projects of its organization, and those only',
            'cannot ask for more than the account has',
          ],
        },
      },
      { id: 'GAP-33', words: 'Apps exchange tokens on the server side', notBuilt: true },
    ],
  },
  {
    name: 'Contradictions, decided',
    rows: [
      { id: 'X-01', words: 'How large the API document is', informative: 'coverage counts, not lines: NUM-12' },
      { id: 'X-02', words: 'Every published event has a schema', sameAs: 'GAP-05' },
      {
        id: 'X-03',
        words: 'How many runbooks there are',
        informative: 'each alert and each named kind of incident has one: RUN-01',
      },
      { id: 'X-04', words: 'Refunds exist', sameAs: 'PAY-02' },
      { id: 'X-05', words: 'Mail exists', sameAs: 'BIN-14' },
      { id: 'X-06', words: 'All tasks are signed with Ed25519', sameAs: 'TSK-11' },
      { id: 'X-07', words: 'Allocations have seven states', sameAs: 'GAP-07' },
      {
        id: 'X-08',
        words: 'The idempotency key has one name and one alias, never both with two values',
        by: {
          'server/src/edge/http/idempotency.test.ts': [
            'is read under both of its names',
            'is refused when it is not usable',
          ],
          [t.openapi]: ['asks for the key, its alias, the project and a request id'],
        },
      },
      { id: 'X-09', words: 'Dead letters are published and can be replayed', sameAs: 'GAP-10' },
      { id: 'X-10', words: 'The terminal token is in the mint’s answer alone', sameAs: 'TRM-03' },
      { id: 'X-11', words: 'How many pages on apps there are', informative: 'each has a status: LAY-14' },
      {
        id: 'X-12',
        words: 'Task names are dotted, and the undotted ones are aliases in the catalogue',
        ruledOtherwise:
          'names are dotted and each task has one: tasks are signed, and a second name would be a second order that an agent must judge',
      },
      { id: 'X-13', words: 'How many findings the review has', informative: 'nineteen, each with a row below' },
      { id: 'X-14', words: 'This page says that slicing means whole GPUs', sameAs: 'ACT-15' },
      { id: 'X-15', words: 'GPU counts of a slice are data of its SKU', sameAs: 'CAP-02' },
      { id: 'X-16', words: 'How many lines the programs have', informative: 'a count' },
      { id: 'X-17', words: 'Guards and lint both block', sameAs: 'GOV-12' },
      { id: 'X-18', words: 'Which guard is the tenth', informative: 'ours are listed in tools/laws' },
      {
        id: 'X-19',
        words: 'One process, no file of hand-written routes',
        by: { [t.mount]: ['match one to one, or the server does not start'] },
      },
      { id: 'X-20', words: 'Recovery of stalled launches is documented', notBuilt: true },
    ],
  },
  {
    name: 'Beyond the described system',
    rows: [
      { id: 'NOB-01', words: 'Fractions of a GPU (MIG, vGPU, MPS, time slices)', notPlanned: 'whole GPUs only' },
      { id: 'NOB-02', words: 'Live migration', notPlanned: 'a machine ends with its host' },
      { id: 'NOB-03', words: 'Volumes that outlive a slice', notBuilt: true },
      { id: 'NOB-04', words: 'Resizing a slice', notPlanned: 'launch another one' },
      { id: 'NOB-05', words: 'Snapshots and clones of slices', notPlanned: 'data belong into storage' },
      {
        id: 'NOB-06',
        words: 'A console that works without the guest’s network',
        by: { [t.sliceMachines]: ['fail closed with the reason when the first boot cannot install its driver'] },
        lacks: 'typing: the serial console is shown and takes no input',
      },
      { id: 'NOB-07', words: 'Images have versions and are chosen for each allocation', sameAs: 'CAP-14' },
      {
        id: 'NOB-08',
        words: 'Slices are isolated on the network and the fabric',
        by: {
          [t.sliceMachines]: [
            'reach the world, and neither each other nor the host nor metadata',
            'neither hear each other nor answer for each other',
            'send to the world as themselves alone',
          ],
        },
        lacks: 'a fabric: no function of one is handed through, and a host with an NVSwitch makes no slices',
      },
      { id: 'NOB-09', words: 'Requests are routed between regions', notPlanned: 'one control plane for each region' },
      { id: 'NOB-10', words: 'Spot and preemption', notPlanned: 'a fair queue instead' },
      {
        id: 'NOB-11',
        words: 'Managed inference, model registry, training pipelines',
        notPlanned: 'apps of tenants may offer them',
      },
      { id: 'NOB-12', words: 'Slurm on several nodes', notBuilt: true },
      {
        id: 'ERN-01',
        words: 'Outbox, immutable ledger and correlation ids together',
        by: {
          [t.relay]: ['carries every committed event to the bus'],
          [t.lifeOfProject]: ['carries one correlation id through the audit rows of all processes'],
          [t.ledger]: ['only grows, also for its owner'],
        },
      },
      {
        id: 'ERN-02',
        words: 'Agents pull, two keys, the authority behind the API, one destination',
        by: {
          [t.door]: ['gives a certificate for a token, once', 'hands a task to a node that waits'],
          [t.stepCa]: ['certificates'],
          [t.forgeries]: ['none reaches the host'],
          [t.agentDestinations]: ['to the control plane alone while it enrols'],
        },
      },
      { id: 'ERN-03', words: 'Operating mode by scope, trust apart from promotion', notBuilt: true },
      {
        id: 'ERN-05',
        words: 'Contract first, enforced',
        by: {
          [t.contractGates]: ['names each file that does not follow from the contract'],
          [t.mount]: ['match one to one, or the server does not start'],
        },
      },
      { id: 'POS-01', words: 'What the product is', informative: 'README.md says it' },
      { id: 'POS-02', words: 'Who buys it', informative: 'a position' },
      { id: 'POS-03', words: 'Segments', informative: 'a position' },
      { id: 'POS-04', words: 'What it is compared with', informative: 'a position' },
      { id: 'POS-05', words: 'Strategic gaps', informative: 'NOB-09, NOB-10, APP-08 and APP-13' },
      { id: 'POS-06', words: 'The app platform is what sets it apart', informative: 'a position' },
    ],
  },
];
