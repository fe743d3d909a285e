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
        },
        lacks: 'a test of where an agent may connect to',
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
        },
        lacks: 'terminal sessions that tenants can open',
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
      { id: 'SEC-12', words: 'A terminal token of one tenant is useless to another', notBuilt: true },
      { id: 'SEC-13', words: 'Slices are isolated by hypervisor and by network', notBuilt: true },
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
      { id: 'CAP-06', words: 'A slice is a virtual machine with whole GPUs passed through', notBuilt: true },
      { id: 'CAP-07', words: 'Disks of slices are raw block devices', notBuilt: true },
      { id: 'CAP-08', words: 'The binding to VFIO is verified before a machine is defined', notBuilt: true },
      { id: 'CAP-09', words: 'Guests send telemetry through the agent', notBuilt: true },
      { id: 'CAP-10', words: 'cloud-init installs system, driver and telemetry, and failure is seen', notBuilt: true },
      {
        id: 'CAP-11',
        words: 'Columns reserved for fractional sharing',
        ruledOtherwise: 'nothing is reserved for what does not exist',
      },
      { id: 'CAP-12', words: 'MAAS: deploy, release and power', notBuilt: true },
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
      { id: 'TRM-01', words: 'The gateway is a process of its own without secrets', notBuilt: true },
      { id: 'TRM-02', words: 'A token is taken once, atomically; replays are counted', notBuilt: true },
      { id: 'TRM-03', words: 'The token travels in a header, never in a query', notBuilt: true },
      { id: 'TRM-04', words: 'One stream for each session; takeover is told, another user is refused', notBuilt: true },
      { id: 'TRM-05', words: 'Browser and node may arrive in any order', notBuilt: true },
      { id: 'TRM-06', words: 'A shell on the host for whole nodes, SSH for slices', notBuilt: true },
      { id: 'TRM-07', words: 'Text frames resize, binary frames carry data', notBuilt: true },
      { id: 'TRM-08', words: 'The bridge to the agent is a WebSocket over mutual TLS', notBuilt: true },
      { id: 'TRM-09', words: 'The incident of buffered streams', informative: 'an incident of the described system' },
      {
        id: 'TRM-10',
        words: 'Recording, backpressure, limits, checks of peers, app terminals, time limits, dashboard',
        notBuilt: true,
      },
      { id: 'TRM-11', words: 'The terminal is a controlled surface, not a back door', notBuilt: true },
    ],
  },
];
