import type { CapabilityGroup } from './row.ts';
import { files as t } from './tests.ts';

export const flows: readonly CapabilityGroup[] = [
  {
    name: 'Flows',
    rows: [
      {
        id: 'FLW-P1',
        words: 'People and programs ask for capacity through the API',
        by: {
          [t.allocations]: ['reserves slots, writes down why'],
          [t.serviceAccounts]: ['exchanges an assertion for a token'],
        },
      },
      {
        id: 'FLW-P2',
        words: 'A request is checked for identity, tenant, policy, repetition and what the catalogue has',
        by: {
          [t.allocations]: [
            'refuses with reasons and a way out when nothing fits',
            'stops at the number of allocations',
          ],
          [t.everyRoute]: [
            'has one effect when 32 requests carry one key',
            'answers a foreign object exactly as an absent one',
          ],
        },
      },
      {
        id: 'FLW-P3',
        words: 'The allocation and its event are written in one transaction',
        by: { [t.allocations]: ['reserves slots, writes down why, and says so in the same transaction'] },
      },
      { id: 'FLW-P4', words: 'The relay carries committed events to the bus', sameAs: 'FLW-E1' },
      {
        id: 'FLW-P5',
        words: 'Workers drive the life of an allocation step by step; each step is undone when a later one fails',
        by: {
          [t.sagas]: ['may run each step twice', 'may fail at every step', 'may run every undo twice'],
          [t.sagasEmbedded]: ['sagas'],
          [t.sagasTemporal]: ['sagas'],
        },
        host: 'simulated',
      },
      {
        id: 'FLW-P6',
        words: 'An agent receives typed tasks on the approved path and on no other',
        by: {
          [t.door]: ['hands a task to a node that waits', 'answers neither plain HTTP nor tokens of people'],
          [t.forgeries]: ['none reaches the host'],
        },
      },
      {
        id: 'FLW-P7',
        words:
          'An allocation moves through requested, provisioning, active, releasing, released, failed and release_failed',
        by: { [t.machine]: ['goes to'], [t.lifeOfAllocation]: ['the life of an allocation'] },
        host: 'simulated',
      },
      {
        id: 'FLW-P8',
        words: 'Billing, notifications and operators’ views follow an allocation through events',
        by: {
          [t.watch]: ['tells what happens in a project, in order', 'tells operators what happens anywhere'],
          [t.consolePeople]: ['notifies the person who launched it, in the bell and on a page'],
        },
        lacks: 'billing by events: it follows what nodes sign',
      },
      {
        id: 'FLW-P9',
        words: 'A workflow waits for the answer of a node by token; nobody polls',
        by: { [t.tasks]: ['end with the result that their node signed, and the saga is told once'] },
      },
      {
        id: 'FLW-P10',
        words: 'Each failure has a documented compensation, emitted from the workflows and tried step by step',
        by: {
          [t.nodeSagas]: ['may fail at every step'],
          [t.sagas]: ['may fail at every step', 'may run every undo twice'],
        },
      },
      {
        id: 'FLW-A1',
        words: 'A terminal is opened by a binding and a token that never stands in a URL; the API is the authority',
        by: {
          [t.terminalTokens]: [
            'is 256 bits in hex, for five minutes, in no cache of browsers, and works once',
            'asks the node for a shell, as the login of the allocation, in the transaction that takes it',
          ],
          [t.terminalDoors]: ['refuses a token in the address, and writes tokens to no log and no answer'],
        },
      },
      {
        id: 'FLW-B1',
        words: 'Active windows make ledger entries; the balance is computed from rows that never change',
        by: {
          [t.accrual]: ['charges exactly what the evidence proves, however it arrives and in however many windows'],
          [t.ledger]: [
            'has a balance that is the sum of its entries, and postings that sum to zero',
            'only grows, also for its owner',
          ],
        },
      },
      {
        id: 'FLW-B2',
        words: 'Low and depleted balance drive notifications and forced release',
        by: {
          [t.ladder]: [
            'warns once for each crossing, announces, says that nothing is left',
            'asks for the release of everything',
            'refuses launches while a release is announced, whatever the least runway is',
          ],
          [t.mailQueue]: ['about low and depleted balances reach a person who is not signed in'],
          [t.eventEnds]: ['are made by the product, and heard by those whom the contract names'],
          'server/test/journeys/docs.production.test.ts': [
            'is true from a balance that is spent to a bill that is proven',
          ],
        },
      },
      {
        id: 'FLW-B3',
        words: 'The ledger only grows; corrections are new entries',
        by: {
          [t.ledger]: ['only grows, also for its owner'],
          [t.payments]: ['takes out what is extra and corrects what is different'],
        },
      },
      {
        id: 'FLW-E1',
        words:
          'Changes cross services through the outbox: published by the relay, consumed by workers, tied by correlation id',
        by: {
          [t.relay]: ['carries every committed event to the bus, in the order of the commits'],
          [t.busEmbedded]: ['bus'],
          [t.busNats]: ['bus'],
          [t.lifeOfProject]: ['carries one correlation id through the audit rows of all processes'],
        },
      },
      {
        id: 'FLW-E2',
        words: 'Evidence comes from the API and read models first',
        by: { [t.correlations]: ['holds the act, its event, what its node was told and the timeline'] },
      },
      {
        id: 'FLW-S1..S6',
        words: 'A slice from request over reservation, phases and telemetry to active',
        by: { [t.lifeOfAllocation]: ['the life of an allocation'] },
        lacks: 'virtual machines on a real host, and guest telemetry',
      },
      {
        id: 'FLW-T1..T10',
        words: 'A terminal from mint to relayed bytes',
        by: {
          [t.terminalJourney]: [
            'runs commands, resizes, is interrupted in a flood, and goes on with the same pid when its gateways are killed',
          ],
          [t.terminalPage]: ['interrupts a flood, and finds the same shell after a reload'],
        },
        lacks: 'SSH into slices of a real host',
      },
      {
        id: 'FLW-R1',
        words: 'An agent enrols at its only destination, which asks the certificate authority for it',
        sameAs: 'SEC-04',
      },
      {
        id: 'FLW-D1',
        words: 'From a workload over its correlation id to logs, traces, metrics and the runbook',
        by: {
          [t.correlations]: [
            'holds the act, its event, what its node was told and the timeline',
            'tells a tenant what happened in their project, and others nothing',
          ],
          [t.runbookLinks]: ['stands in the trace of a request beside what went wrong'],
        },
        lacks: 'a link to the spans of the request',
      },
    ],
  },
  {
    name: 'State machines',
    rows: [
      {
        id: 'STM-01',
        words: 'Allocation: seven states along one table, with a version and one enforcer',
        sameAs: 'GAP-07',
      },
      {
        id: 'STM-02',
        words: 'Placement: reserved with the request, leased on the node, freed at the end',
        by: {
          [t.machine]: ['is reserved, then leased, then freed'],
          [t.allocations]: ['reserves slots, writes down why'],
        },
        host: 'simulated',
      },
      {
        id: 'STM-03',
        words: 'Artifact lifecycle: published, promoted, deprecated, retired',
        by: {
          'server/src/domains/apps/standing.db.test.ts': [
            'has an answer for every cell',
            'is seen, launched and upgraded to as the table says',
          ],
          'server/src/domains/apps/publishing.db.test.ts': ['publishes an app, moves it through the channels'],
        },
      },
      {
        id: 'STM-04',
        words: 'Artifact trust, independent of the lifecycle',
        by: {
          'server/src/domains/apps/standing.db.test.ts': [
            'has an answer for every cell',
            'is seen, launched and upgraded to as the table says',
          ],
          'server/src/domains/apps/publishing.db.test.ts': ['revokes the trust in a version for good, with a reason'],
        },
      },
      {
        id: 'STM-05',
        words: 'App instance: create, start, stop, release',
        by: {
          'server/src/domains/app-instances/app-instances.db.test.ts': [
            'is launched on an active allocation of a whole node',
            'ends with its allocation, also while it launches',
          ],
          'server/test/journeys/app-instance.test.ts': ['is launched with its allocation in one call'],
        },
        host: 'simulated',
      },
      { id: 'STM-06', words: 'Shared runtime under row locks, with cascading detach', notBuilt: true },
      {
        id: 'STM-07',
        words: 'Outbox: waiting, published, or dead after bounded tries with growing pauses',
        by: {
          [t.relay]: [
            'makes a dead letter of what the bus refuses',
            'waits for a bus that is away, with growing pauses',
          ],
        },
      },
      {
        id: 'STM-08',
        words: 'Node: enrolled, draining, updating itself, along one table',
        by: {
          [t.nodeMachine]: ['goes to'],
          [t.operator]: ['is drained with notice, or called back'],
          [t.selfUpdate]: ['is replaced by a release'],
        },
      },
      {
        id: 'STM-09',
        words:
          'Terminal session: minted, consumed, bound, open, closed; the same person takes over, another one is refused',
        by: {
          [t.terminalTokens]: ['works once', 'asks the node for a shell, as the login of the allocation'],
          [t.terminalSessions]: [
            'opens it by arriving, and who waits for its home is answered at once',
            'never takes over from another person, whatever the role',
            'wakes its gateway at once, is shown with a reason, and happens once',
          ],
          [t.terminalJoining]: ['are one writer, who hands over only to itself'],
        },
      },
      {
        id: 'STM-10',
        words: 'The phases of a slice’s virtual machine, with their names',
        by: {
          [t.lifeOfAllocation]: ['the life of an allocation'],
          [t.sliceCases]: ['are made phase by phase and proven', 'survive the agent in every phase'],
        },
        lacks: 'a run on a host with GPUs',
      },
      {
        id: 'STM-11',
        words: 'A MAAS machine and its allocation cannot drift apart',
        by: {
          'server/src/domains/maas/maas.db.test.ts': [
            'contradict each other as machine_not_deployed, and none is changed',
            'contradict each other when MAAS lists a machine no more',
            'adopts a deployment that no row knows: it is shown, cannot be sold, and is erased',
          ],
        },
        lacks: 'a real MAAS and real machines: both are simulated here',
      },
      {
        id: 'STM-12',
        words: 'A stalled launch of a container is probed, failed and tried again in a window',
        by: {
          'server/src/domains/app-instances/app-instances.db.test.ts': [
            'whose launch stands still fails after the stall time',
          ],
        },
        host: 'simulated',
      },
    ],
  },
  {
    name: 'Tasks of nodes',
    rows: [
      {
        id: 'TSK-01',
        words: 'slice.topology_discover finds GPUs, NUMA groups, fabric and disks, and what blocks them',
        by: {
          [t.topology]: ['finds eight GPUs on two sides', 'says which switch to turn when there is no IOMMU'],
          'agent/src/cli/doctor.test.ts': ['says what this machine is made of'],
        },
      },
      {
        id: 'TSK-02',
        words: 'slice.vm_provision makes a virtual machine phase by phase',
        by: {
          [t.agent]: ['makes a slice, gives it new keys and takes it down'],
          [t.sliceCases]: ['are made phase by phase and proven', 'survive the agent in every phase'],
        },
        lacks: 'a run on a host with GPUs',
      },
      {
        id: 'TSK-03',
        words: 'slice.vm_release shuts down, unbinds, wipes and releases the lease',
        by: {
          [t.agent]: ['makes a slice, gives it new keys and takes it down'],
          [t.sliceCases]: ['are released with proof, twice if need be, and the disk is clean for the next'],
          [t.slices]: ['is overwritten byte by byte when the device only claims to have erased itself'],
        },
        lacks: 'a run on a host with GPUs',
      },
      {
        id: 'TSK-04',
        words: 'allocation.provision_user makes a user with keys on the host, proven before it opens',
        by: {
          [t.wholeNode]: ['makes the group, the user and a private home', 'lets nobody in before everything is proven'],
          [t.linuxHost]: ['has a home that nobody else can look into'],
        },
      },
      {
        id: 'TSK-05',
        words: 'allocation.revoke_user takes the login away with everything that runs in its name',
        by: { [t.wholeNode]: ['closes the login before it ends what runs'], [t.linuxHost]: ['goes with everything'] },
      },
      {
        id: 'TSK-06',
        words: 'terminal.open dials the gateway and starts a shell',
        by: {
          'agent/src/terminal/open.test.ts': ['succeeds when bytes can flow', 'releasing it ends the shell'],
          'agent/src/terminal/session.test.ts': ['delivers every byte once over 50 random cuts'],
        },
        lacks: 'slices on real hosts',
      },
      {
        id: 'TSK-07',
        words: 'app.oci_launch starts a container workload',
        by: {
          [t.containers]: [
            'are fetched by digest over TLS with a login from a file',
            'reach the world where they may, and neither the host nor each other’s networks nor metadata',
            'leave the other tenant’s answering while one forks without end and another takes all memory',
            'end when their lease does, and are gone with a stop and a release',
          ],
          [t.containersSimulated]: ['that crashes says how it ended'],
          [t.containersHostile]: ['reach nothing when the schema refuses them'],
          [t.linuxCases]: ['survive the agent in every phase of a launch, and the agent finds them again'],
        },
        lacks: 'containers inside slices, and a run on a host with GPUs',
      },
      {
        id: 'TSK-08',
        words: 'node.drain refuses new leases and lasts through a restart',
        by: { 'agent/src/drain.test.ts': ['refuses new leases, also after a restart'] },
      },
      {
        id: 'TSK-09',
        words: 'node.self_update replaces the agent and goes back when the new one fails',
        by: { [t.selfUpdate]: ['is replaced by a release', 'is back by itself when the release does not work'] },
      },
      {
        id: 'TSK-10',
        words: 'The tasks of bare metal, reimaging included',
        by: { [t.sagas]: ['under full-reimage frees its node only when the reimage is proven'] },
        lacks: 'reimaging a real host',
      },
      {
        id: 'TSK-11',
        words: 'Every task has a typed input, a signature, an addressee, an expiry and protection against replay',
        by: {
          [t.forgeries]: ['none reaches the host'],
          [t.tasks]: ['are signed when they are queued', 'that are not as their type declares are never queued'],
        },
      },
    ],
  },
];
