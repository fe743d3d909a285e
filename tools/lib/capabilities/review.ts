import type { CapabilityGroup } from './row.ts';
import { files as t } from './tests.ts';

/** What an outside review asked for, and what it would check next time. */
export const review: readonly CapabilityGroup[] = [
  {
    name: 'Actions of the outside review',
    rows: [
      { id: 'ACT-01', words: 'Idempotency on every mutating route, by construction', sameAs: 'GAP-01' },
      {
        id: 'ACT-02',
        words: 'Optimistic locking and one enforcer of transitions; the loser of a race gets a conflict',
        sameAs: 'GAP-07',
      },
      {
        id: 'ACT-03',
        words: 'Dead letters recover; a signed-out user gets mail when the balance is depleted',
        by: {
          [t.relay]: ['publishes a requeued event again under its own id'],
          [t.consumer]: ['that always fails leaves a dead letter'],
          [t.mailQueue]: ['about low and depleted balances reach a person who is not signed in'],
          'server/src/domains/outbox/billing-letters.db.test.ts': ['goes aside, alerts, holds up no other one'],
          'server/test/journeys/docs.production.test.ts': [
            'is true from a balance that is spent to a bill that is proven',
          ],
        },
      },
      {
        id: 'ACT-04',
        words: 'Lint and security gates block; hooks exist',
        by: {
          [t.canaries]: ['is reported when it is broken'],
          [t.gates]: ['secrets', 'known vulnerabilities'],
          'tools/gates/security/security.test.ts': ['reports a line that breaks it, for each rule'],
        },
      },
      { id: 'ACT-05', words: 'Pages on apps have a status that matches the code', sameAs: 'APP-18' },
      { id: 'ACT-06', words: 'A generated SDK, and no hand-written HTTP calls', sameAs: 'GAP-04' },
      { id: 'ACT-07', words: 'The app platform is on the capability matrix', sameAs: 'APP-20' },
      { id: 'ACT-08', words: 'Numbered migrations', sameAs: 'GAP-24' },
      { id: 'ACT-09', words: '/readyz, distinct from /healthz', sameAs: 'GAP-26' },
      { id: 'ACT-10', words: 'One tenant cannot take another down with a crashing or saturating app', notBuilt: true },
      {
        id: 'ACT-11',
        words: 'Minting terminal tokens is limited by user and address in a sliding window',
        by: {
          [t.terminalLimits]: [
            'is one too many unless a policy says otherwise',
            'is refused to the person, and the other people of the address share its budget',
          ],
          [t.rateLimit]: [
            'lets no more than the budget through in any minute, whenever requests come',
            'does not give a second budget across the end of a minute',
          ],
          [t.cacheEmbedded]: ['frees a place when the one that took it has left the window'],
          [t.cacheRedis]: ['frees a place when the one that took it has left the window'],
        },
      },
      {
        id: 'ACT-12',
        words: 'The driver is verified before active; an outage of the package mirror never ends in active',
        by: { [t.sagas]: ['fails closed when what its node swears to is not what was promised'] },
        lacks: 'a guest on a real host',
      },
      {
        id: 'ACT-13',
        words: 'A slice cannot reach another slice by ICMP or ARP',
        by: {
          [t.sliceMachines]: [
            'reach the world, and neither each other nor the host nor metadata',
            'neither hear each other nor answer for each other, by ARP, DHCP or router advertisement',
          ],
          [t.slices]: ['let each port send as itself and nothing else, and a port without rules send nothing'],
        },
      },
      {
        id: 'ACT-14',
        words: 'Terminal sessions are recorded and found again',
        by: {
          [t.recordings]: [
            'are stored one after the other, each with the digest of the one before',
            'is listed by allocation, person and time, for admins and owners',
            'says that it is intact, and the end of the session seals its digest in the audit log',
          ],
          [t.recorded]: ['begins when its first chunk is stored, and not before'],
          [t.recordingsPage]: [
            'says that it is recorded, and its recording is played, searched, verified and downloaded',
          ],
        },
      },
      {
        id: 'ACT-15',
        words: 'This page says that slices are whole GPUs and not fractions',
        by: { [t.gates]: ['says what it is and what it is not yet'] },
      },
      { id: 'ACT-17', words: 'The breaking-change check fails when its tool is missing', sameAs: 'GOV-03' },
      { id: 'ACT-18', words: 'No faster profile skips a gate', sameAs: 'GOV-05' },
      { id: 'ACT-19', words: 'Every script has a role', sameAs: 'GOV-16' },
    ],
  },
  {
    name: 'Re-review',
    rows: [
      { id: 'RRC-01', words: 'The overall grade moved', informative: 'for the reviewers to say' },
      {
        id: 'RRC-02',
        words: 'The page for the next review names the command and its result for each action that has tests',
        by: { [t.gates]: ['names a command, its result and the commit for each row that has tests'] },
      },
      { id: 'RRC-03', words: 'More than twenty routes are protected, none by hand', sameAs: 'GAP-01' },
      { id: 'RRC-04', words: 'One enforcer of transitions, with a test of concurrent release', sameAs: 'GAP-07' },
      { id: 'RRC-05', words: 'Tests of accrual, replay and dead letters have grown', sameAs: 'GAP-27' },
      { id: 'RRC-06', words: 'Pages on apps have headers', sameAs: 'APP-18' },
      { id: 'RRC-07', words: 'The app platform has a row', sameAs: 'APP-20' },
      {
        id: 'RRC-08',
        words: 'New gaps are written down as the next round',
        by: { [t.gates]: ['lists what is not built as the next round'] },
      },
      {
        id: 'RRC-09',
        words: 'Slices: the driver check fails closed, networks are isolated, words are precise',
        by: {
          [t.sagas]: ['fails closed when what its node swears to is not what was promised'],
          [t.sliceMachines]: ['reach the world, and neither each other nor the host nor metadata'],
          [t.gates]: ['says what it is and what it is not yet'],
        },
        lacks: 'a guest with a real GPU and its driver',
      },
      {
        id: 'RRC-10',
        words: 'Terminals: limits, recordings, dashboard',
        by: {
          [t.terminalLimits]: ['is refused to the person, and the other people of the address share its budget'],
          [t.terminalTokens]: ['stops at the limit of sessions for an allocation, and lists what is open'],
          [t.recordings]: ['is listed by allocation, person and time, for admins and owners'],
          [t.recordingsPage]: [
            'says that it is recorded, and its recording is played, searched, verified and downloaded',
          ],
          [t.dashboards]: ['shows sessions, the time from a token to a shell, and recordings'],
        },
      },
      { id: 'RRC-11', words: 'Gates: lint, scanners, breaking changes, no skipped profile', sameAs: 'ACT-04' },
    ],
  },
];
