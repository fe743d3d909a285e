import type { CapabilityGroup } from './row.ts';
import { files as t } from './tests.ts';

export const security: readonly CapabilityGroup[] = [
  {
    name: 'Security of nodes and tenants',
    rows: [
      {
        id: 'SEC-01',
        words: 'Agents dial out; the control plane never logs in to a host',
        by: {
          [t.agent]: ['enrols, says that it is there, runs a task'],
          [t.door]: ['hands a task to a node that waits'],
        },
      },
      {
        id: 'SEC-02',
        words: 'The key of the connection and the key that signs tasks are two; one does not unlock the other',
        by: {
          [t.forgeries]: ['none reaches the host'],
          [t.signersAgent]: ['the keys that a node obeys'],
          [t.signersServer]: ['are vouched for by the one before'],
        },
      },
      {
        id: 'SEC-03',
        words: 'A task is obeyed once: seen ids survive restarts and expired tasks are refused',
        by: {
          [t.crashes]: [
            'refuses a replay after the restart',
            'refuses what may be a replay when the whole memory of tasks is gone',
          ],
          [t.forgeries]: ['none reaches the host'],
        },
      },
      {
        id: 'SEC-04',
        words: 'Enrolment goes through the API to the certificate authority; the agent has one destination',
        by: {
          [t.door]: ['gives a certificate for a token, once'],
          [t.bootstrapAgent]: ['enrols by a pinned token'],
          [t.stepCa]: ['certificates'],
          [t.agentDestinations]: ['to the control plane alone while it enrols'],
          [t.canaries]: ['agents-dial-in-named-files'],
        },
      },
      {
        id: 'SEC-05',
        words: 'Tasks are rows in PostgreSQL, signed when they are decided',
        by: { [t.tasks]: ['are signed when they are queued', 'go to their own node alone'] },
      },
      {
        id: 'SEC-06',
        words: 'A peer is known by the URI in its certificate, in full, on every request',
        by: { [t.door]: ['takes nobody’s word for being a node', 'lets no node act for another'] },
      },
      {
        id: 'SEC-07',
        words: 'A shell runs with the ids of its user, which come from the database',
        by: {
          [t.linuxHost]: ['has a terminal with its own name, ids and home'],
          [t.wholeNode]: ['have the ids of the login on every count'],
          [t.terminalJourney]: ['runs commands, resizes, is interrupted in a flood'],
          [t.terminalPage]: ['opens a shell from the allocation, types, resizes'],
        },
      },
      { id: 'SEC-08', words: 'Logging redacts first, everywhere', sameAs: 'GAP-03' },
      {
        id: 'SEC-09',
        words: 'Revoked tokens are refused within seconds, and service accounts reach only what allows them',
        by: {
          [t.revocation]: ['are refused by another'],
          [t.timeLimits]: ['that revokes a personal token counts everywhere within five seconds'],
          'server/test/hostile/tokens.test.ts': ['is refused by routes for operators, whatever its roles'],
        },
      },
      {
        id: 'SEC-10',
        words: 'The audit log cannot be changed, and every privileged change leaves a row',
        by: {
          [t.database]: [
            'refuses to commit a change that left no audit row',
            'never changes or removes an audit row, whoever asks',
          ],
          [t.auditChain]: ['names the first row that was changed', 'names the place where a row was removed'],
          [t.history]: ['leaves the database for an archive, and the audit chain goes on after it'],
        },
      },
      { id: 'SEC-11', words: 'X-Project-ID is checked before any handler', sameAs: 'GAP-06' },
      {
        id: 'SEC-12',
        words: 'A terminal token of one tenant is useless to another',
        by: {
          [t.terminalTokens]: ['is void for another allocation, and used up by the attempt'],
          [t.terminalSessions]: [
            'finds no session of another allocation, and none without an id',
            'is refused as another node, with a revoked certificate, and after the end',
          ],
          [t.terminalDoors]: ['sends a node away that comes for a session of another one'],
        },
      },
      {
        id: 'SEC-13',
        words: 'Slices are isolated by hypervisor and by network',
        by: {
          [t.sliceMachines]: [
            'reach the world, and neither each other nor the host nor metadata',
            'neither hear each other nor answer for each other, by ARP, DHCP or router advertisement',
            'send to the world as themselves alone',
          ],
        },
        lacks: 'hardware virtualization: the machines of the test are translated',
      },
      {
        id: 'SEC-14',
        words: 'How far the product may be trusted between hostile tenants is said',
        informative: 'docs/threat-model.md says it',
      },
      {
        id: 'SEC-15',
        words: 'Outside workers have machine identities bounded by project or organization',
        sameAs: 'GAP-32',
      },
    ],
  },
  {
    name: 'Capacity',
    rows: [
      {
        id: 'CAP-01',
        words: 'Two shapes are sold: whole nodes and GPU slices',
        by: {
          [t.skuRules]: ['may be slices with a size for each count, or whole nodes'],
          [t.lifeOfAllocation]: ['the life of an allocation'],
        },
        host: 'simulated',
      },
      {
        id: 'CAP-02',
        words: 'The catalogue has SKUs with counts, profiles and prices; h200-sxm-slice is one',
        by: {
          [t.skuRules]: ['has the slice with counts 1, 2 and 4'],
          [t.inventory]: ['is read by anybody, with prices, sizes and images'],
        },
      },
      {
        id: 'CAP-03',
        words: 'Slots are locked for a reservation and are nobody else’s',
        by: {
          [t.slots]: ['is taken by one of many who want it'],
          [t.races]: ['of different sizes never hold a slot together'],
        },
      },
      {
        id: 'CAP-04',
        words: 'A lease is a file on the node, written at provisioning, kept through crashes and reconciled',
        by: {
          [t.crashes]: [
            'of an older generation than the one on the door is refused',
            'whose file is damaged is reported as unknown',
          ],
          [t.agentTime]: ['is ended at the next start when it came while the agent was down'],
        },
      },
      {
        id: 'CAP-05',
        words: 'A slice stays in one NUMA group together with its fabric',
        by: {
          [t.decide]: ['finds a place exactly when there is one', 'takes slots of one host that are free and whole'],
          [t.races]: ['fill NUMA groups without splitting anybody'],
        },
      },
      {
        id: 'CAP-06',
        words: 'A slice is a virtual machine with whole GPUs passed through',
        by: { [t.slices]: ['pins the machine to the side of its GPUs and hands exactly those through'] },
        lacks: 'a run on a host with GPUs',
      },
      {
        id: 'CAP-07',
        words: 'Disks of slices are raw block devices',
        by: { [t.slices]: ['that nobody approved is not touched', 'that was mounted meanwhile is not touched'] },
        lacks: 'NVMe disks of a real host',
      },
      {
        id: 'CAP-08',
        words: 'The binding to VFIO is verified before a machine is defined',
        by: {
          [t.slices]: [
            'that does not move at first is tried again, and one that never does is said to be stuck',
            'refuses a GPU whose IOMMU group holds something else, and says what',
          ],
        },
        lacks: 'VFIO on a real host',
      },
      {
        id: 'CAP-09',
        words: 'Guests send telemetry through the agent',
        by: {
          [t.guestDoor]: [
            'names no GPU of another slice',
            'knows a machine by its address and its token together',
            'listens at the address of the bridge alone',
            'takes a few reports at once and then one in five seconds',
          ],
          [t.sliceMachines]: [
            'report how they are through their host, each with its own GPU',
            'are not heard at the door for reports from outside, nor with the token of a neighbour',
          ],
          'server/src/domains/telemetry/telemetry.db.test.ts': ['of a guest informs its tenant and decides nothing'],
        },
        lacks: 'GPUs: the machines of the tests have a program in the place of nvidia-smi',
      },
      {
        id: 'CAP-10',
        words: 'cloud-init installs system, driver and telemetry, and failure is seen',
        by: {
          [t.guestDoor]: ['is kept with its reason'],
          'agent/src/host/linux/slices/reports/first-boot.test.ts': [
            'waits for a machine that installs its driver',
            'fails with the reason that its machine gives',
          ],
          [t.sliceMachines]: ['fail closed with the reason when the first boot cannot install its driver'],
        },
        lacks:
          'cloud-init and a package manager: the machines of the tests read the same documents with a program of their own',
      },
      {
        id: 'CAP-11',
        words: 'Columns reserved for fractional sharing',
        ruledOtherwise: 'nothing is reserved for what does not exist',
      },
      {
        id: 'CAP-12',
        words: 'MAAS: deploy, release and power',
        by: {
          'server/src/domains/maas/maas.db.test.ts': [
            'ends with a node that enrolled with the token of its deployment',
            'forgets nothing when the disks could not be erased',
            'are jobs that end when MAAS shows it',
          ],
          'server/test/maas/public-client.production.test.ts': [
            'is driven by the public client of MAAS from a new machine to an erased one',
          ],
        },
        lacks: 'a real MAAS and real machines: both are simulated here',
      },
      {
        id: 'CAP-13',
        words: 'Regions route requests',
        by: { [t.inventory]: ['is narrowed to a region on request', 'is nothing in a region that is closed'] },
        lacks: 'more than one control plane',
      },
      {
        id: 'CAP-14',
        words: 'An image can be chosen for each allocation',
        by: { [t.inventory]: ['is offered once every host that takes work has it'] },
        lacks: 'images on real hosts',
      },
    ],
  },
  {
    name: 'Terminal',
    rows: [
      {
        id: 'TRM-01',
        words: 'The gateway is a process of its own without secrets',
        by: {
          [t.internalListener]: ['answers the processes that a route names'],
          [t.terminalJoining]: [
            'costs a browser at another copy nothing: the same shell goes on there, no byte lost or repeated',
          ],
        },
      },
      {
        id: 'TRM-02',
        words: 'A token is taken once, atomically; replays are counted',
        by: { [t.terminalTokens]: ['is 256 bits in hex, for five minutes, in no cache of browsers, and works once'] },
      },
      {
        id: 'TRM-03',
        words: 'The token travels in a header, never in a query',
        by: { [t.terminalDoors]: ['refuses a token in the address, and writes tokens to no log and no answer'] },
      },
      {
        id: 'TRM-04',
        words: 'One writer for each session; a takeover is announced, another user is refused',
        by: {
          [t.terminalJoining]: ['are one writer, who hands over only to itself, and watchers whom the writer is shown'],
          [t.terminalSessions]: ['never takes over from another person, whatever the role'],
          [t.terminalPage]: ['asks in a second tab: read only first, then it takes over and the first tab says so'],
        },
      },
      {
        id: 'TRM-05',
        words: 'Browser and node may arrive in any order',
        by: {
          [t.terminalJoining]: [
            'meet when the browser comes first (at different copies: true)',
            'meet when the agent comes first (at different copies: true)',
          ],
        },
      },
      {
        id: 'TRM-06',
        words: 'A shell on the host for whole nodes, SSH for slices',
        by: { [t.agentSession]: ['says in its banner that the GPUs are simulated, and shows them'] },
        lacks: 'SSH into slices of a real host, and a session on the Linux host from end to end',
      },
      {
        id: 'TRM-07',
        words: 'Text frames resize, binary frames carry data',
        by: {
          [t.agentSession]: ['resizes, answers pings, and tells the exit code of its shell'],
          [t.terminalPage]: ['opens a shell from the allocation, types, resizes and says that the GPUs are simulated'],
        },
      },
      {
        id: 'TRM-08',
        words: 'The bridge to the agent is a WebSocket over mutual TLS',
        by: {
          [t.terminalDoors]: ['lets nodes come as nodes and gateways as copies, and nobody as anything else'],
          [t.terminalFlow]: ['does not keep others from their output'],
        },
      },
      { id: 'TRM-09', words: 'The incident of buffered streams', informative: 'an incident of the described system' },
      {
        id: 'TRM-10',
        words: 'Recording, backpressure, limits, checks of peers, app terminals, time limits, dashboard',
        by: {
          [t.agentFlood]: ['waits for a reader of 100 KB/s: ring, queue and memory stay bounded'],
          [t.terminalSessions]: ['comes when the rights of its owner are lost, and no other session is touched'],
          'web/test/recordings.production.test.ts': [
            'says that it is recorded, and its recording is played, searched, verified and downloaded',
          ],
        },
        lacks: 'terminals into apps, and a test of the dashboard',
      },
      {
        id: 'TRM-11',
        words: 'The terminal is a controlled surface, not a back door',
        by: {
          [t.terminalTokens]: ['is for who created the allocation, and for admins and owners'],
          [t.terminalSessions]: ['comes when the allocation is released'],
          [t.terminalDoors]: ['lets nodes come as nodes and gateways as copies, and nobody as anything else'],
        },
      },
    ],
  },
];
