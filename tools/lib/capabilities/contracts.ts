import type { CapabilityGroup } from './row.ts';
import { files as t } from './tests.ts';

export const contracts: readonly CapabilityGroup[] = [
  {
    name: 'Events and keys',
    rows: [
      {
        id: 'EVT-01',
        words: 'Streams exist for each family of events and for dead letters',
        by: { [t.busNats]: ['keeps its streams as the newest process wants them'] },
        lacks: 'a test that names each stream (it looks at BILLING), and events of apps and storage to carry',
      },
      {
        id: 'EVT-02',
        words: 'provisioning.requested begins one workflow',
        by: {
          [t.sagas]: ['may run each step twice'],
          [t.consumer]: ['takes one effect of an event that is delivered five times'],
        },
        lacks: 'this event itself delivered twice',
      },
      {
        id: 'EVT-03',
        words: 'provisioning.force_release_requested',
        by: {
          [t.ladder]: ['asks for the release of everything'],
          [t.quotes]: ['is kept by the billing-worker when nothing else ended the allocation'],
          [t.eventEnds]: ['are made by the product, and heard by those whom the contract names'],
        },
        lacks: 'a test in which the provisioning-worker ends the allocation',
      },
      {
        id: 'EVT-04',
        words: 'billing.low_balance_warning',
        by: {
          [t.ladder]: ['warns once for each crossing'],
          [t.eventEnds]: ['are made by the product, and heard by those whom the contract names'],
        },
      },
      {
        id: 'EVT-05',
        words: 'billing.auto_release_pending',
        by: {
          [t.ladder]: ['warns once for each crossing, announces', 'is left by a top-up, which is told'],
          [t.eventEnds]: ['are made by the product, and heard by those whom the contract names'],
        },
      },
      {
        id: 'EVT-06',
        words: 'billing.balance_depleted',
        by: {
          [t.ladder]: ['warns once for each crossing, announces, says that nothing is left'],
          [t.eventEnds]: ['are made by the product, and heard by those whom the contract names'],
        },
      },
      {
        id: 'EVT-07',
        words: 'payments.balance_credited',
        by: { [t.payments]: ['is begun with the provider, made there, and added to the balance once'] },
      },
      {
        id: 'EVT-08',
        words: 'Events of apps and notifications are fully specified',
        by: {
          [t.webhooks]: ['is turned off when its receiver answers 410, and its owners are notified'],
          [t.database]: ['refuses an event whose payload is not as declared'],
        },
        lacks: 'events of apps',
      },
      {
        id: 'EVT-09',
        words: 'The envelope carries correlation and trace; spans carry messaging, event type and whose it is',
        by: {
          [t.lifeOfProject]: ['carries one trace through HTTP, relay, bus and saga, with the attributes of messaging'],
          'server/src/ports/bus/spans.test.ts': ['hang publishing below the trace of the event'],
        },
      },
      {
        id: 'EVT-10',
        words: 'A changed policy invalidates caches by a message',
        by: {
          [t.policies]: ['applies with its provenance as soon as it is set'],
          [t.timeLimits]: ['that sets a policy counts everywhere within sixty seconds'],
        },
      },
      {
        id: 'EVT-11',
        words: 'Keys for terminal tokens and streams, channels for notifications',
        by: {
          [t.inbox]: ['of money reach owners and admins in words, and members not'],
          [t.terminalTokens]: ['is in no row of the database, neither whole nor in part'],
          [t.terminalSessions]: ['is shown in lists, and a copy that is silent for a minute is gone'],
        },
      },
      {
        id: 'EVT-12',
        words: 'Every event has a producer, and a consumer or a reason, checked end to end',
        by: {
          [t.lifeOfProject]: ['found a consumer for every event that names one'],
          [t.eventEnds]: ['are made by the product, and heard by those whom the contract names'],
        },
        lacks: 'each event seen in a run: that something makes it is read from the code',
      },
    ],
  },
  {
    name: 'Policies',
    rows: [
      {
        id: 'POL-01',
        words: 'billing.window_seconds, 60, within 10 and 3600',
        by: {
          [t.accrual]: ['adds up three days of windows of a minute'],
          [t.policies]: ['billing.window_seconds is 60 by default, and takes 10 to 3600 seconds and nothing else'],
        },
      },
      {
        id: 'POL-02',
        words: 'allocation.isolation_model: user-revoke or full-reimage, and both act',
        sameAs: 'GAP-ISO',
      },
      { id: 'POL-03', words: 'Mints of terminal tokens are limited for each minute', sameAs: 'ACT-11' },
      {
        id: 'POL-04',
        words: 'Lanes default, financial, admin and terminal have budgets by policy, shared by all processes',
        by: {
          [t.policies]: ['sets the pace of a single caller'],
          [t.rateLimit]: ['holds over several processes together'],
          [t.everyRoute]: ['every lane'],
          [t.terminalLimits]: ['is refused to the person, and the other people of the address share its budget'],
        },
      },
      {
        id: 'POL-05',
        words:
          'The most specific of user, project, organization, plan and global wins, within bounds, with a cache of 60 seconds and invalidation',
        by: {
          [t.policyLevels]: ['is the most specific one that is set', 'is a hard global one'],
          [t.policies]: ['that changed without a word is seen after 60 seconds'],
        },
      },
      {
        id: 'POL-06',
        words: 'Thresholds are policies, not numbers in the code',
        by: { [t.canaries]: ['no-bare-numbers'] },
      },
      {
        id: 'POL-07',
        words: 'Low balance, release tries, terminal time, recordings and mints have policies',
        by: {
          [t.allocations]: ['is forced as often as the policy allows'],
          [t.ladderSteps]: ['is warned about by its amount first where that is crossed first'],
          [t.ladder]: ['warns once for each crossing', 'leaves organizations alone that do not pay ahead'],
          [t.terminalLimits]: ['is refused to the person, and the other people of the address share its budget'],
          [t.agentEndings]: ['at its time, which is the control plane’s, also when that is away'],
        },
        lacks: 'recordings',
      },
    ],
  },
  {
    name: 'Numbers',
    rows: [
      {
        id: 'NUM-01',
        words: 'Node certificates live 24 hours, are renewed in time and lie in files of mode 0600',
        by: {
          [t.identityOfNodes]: ['is renewed at about two thirds of its life'],
          [t.agent]: ['keeps its keys where only their owner can read them'],
        },
        lacks: 'the 24 hours shown in the authority that production uses',
      },
      {
        id: 'NUM-02',
        words: 'Keys of issuers are asked for again after five minutes',
        by: {
          'server/src/edge/http/admission/authentication.test.ts': ['verifies again after five minutes'],
          'server/src/ports/identity-provider/external.test.ts': ['is asked for its keys every five minutes'],
        },
      },
      {
        id: 'NUM-03',
        words: 'Terminal tokens: 256 bits, 300 seconds, single use',
        by: {
          [t.terminalTokens]: [
            'is 256 bits in hex, for five minutes, in no cache of browsers, and works once',
            'is void in the 301st second',
          ],
        },
      },
      {
        id: 'NUM-04',
        words: 'Signed tasks expire after five minutes',
        ruledOtherwise:
          'how long a task lives is a policy, fifteen minutes by default, since a large image takes longer than five',
      },
      { id: 'NUM-05', words: 'Billing windows of 60 seconds, within 10 and 3600', sameAs: 'POL-01' },
      {
        id: 'NUM-06',
        words: 'Policies are cached for 60 seconds',
        by: { [t.policies]: ['that changed without a word is seen after 60 seconds'] },
      },
      {
        id: 'NUM-07',
        words: 'Payment webhooks have a tolerance of five minutes',
        by: {
          [t.paymentsSimulated]: ['that was signed five minutes and a second ago', 'from the future'],
          [t.paymentsStripe]: ['that was signed five minutes and a second ago', 'from the future'],
        },
      },
      {
        id: 'NUM-08',
        words: 'Guests push telemetry every 30 seconds',
        by: { [t.sliceMachines]: ['report how they are through their host, each with its own GPU'] },
        lacks: 'GPUs: the machines of the tests have a program in the place of nvidia-smi',
      },
      {
        id: 'NUM-09',
        words: 'Browsers are pinged every 30 seconds; shells are read in pieces of 4 KB',
        by: { [t.terminalDoors]: ['notices a client that is gone without a word'] },
        lacks: 'pieces of 4 KB: a shell is read as the system hands its output over, within a window of 512 KiB',
      },
      {
        id: 'NUM-10',
        words: 'A container launch is probed each minute, failed after three and tried again for fifteen',
        by: {
          'server/src/domains/app-instances/app-instances.db.test.ts': [
            'whose launch stands still fails after the stall time',
            'that may not be tried again says why, once',
          ],
        },
        host: 'simulated',
      },
      { id: 'NUM-11', words: 'Ten terminal mints a minute for each user', sameAs: 'ACT-11' },
      {
        id: 'NUM-12',
        words: 'At least 50 error codes, 150 operations and 30 tags, one checked contract',
        by: {
          [t.openapi]: [
            'has every route of the product as one operation',
            'has at least 50 error codes, 150 operations and 30 tags',
          ],
        },
      },
      {
        id: 'NUM-13',
        words: 'The size of the described schema',
        informative: 'a count of the described system; ours grows with what is built',
      },
      {
        id: 'NUM-14',
        words: 'The counts of the described system',
        informative: 'counts of programs and documents; ours are in docs/README.md',
      },
      {
        id: 'NUM-15',
        words: 'Coverage has floors: errors 100 %, stages 90 %, billing 85 %, provisioning 80 %',
        by: {
          [t.gates]: ['asks for every line of the error catalog', 'has floors for errors, the edge and the domains'],
        },
        lacks: 'floors of billing and of provisioning by themselves: all domains have one of 85 % together',
      },
      { id: 'NUM-16', words: 'Test counts of the described system', informative: 'ours are printed by every run' },
      {
        id: 'NUM-17',
        words: 'Ten guards, and no script that nobody calls',
        by: {
          [t.canaries]: ['every law of ours has a canary'],
          [t.tree]: ['gives every script a role, and runs every gate'],
        },
      },
      {
        id: 'NUM-18',
        words: 'Repetition is protected on every mutating route and checked by hand on none',
        sameAs: 'GAP-01',
      },
      { id: 'NUM-19', words: 'The time the reviewers thought it would take', informative: 'an estimate' },
    ],
  },
  {
    name: 'Contract and control plane',
    rows: [
      {
        id: 'CON-01',
        words: 'Bearer, idempotency key and X-Project-ID are declared the same way everywhere',
        by: { [t.openapi]: ['asks for the key, its alias, the project and a request id'] },
      },
      { id: 'CON-02', words: 'Every event is described in AsyncAPI', sameAs: 'GAP-05' },
      {
        id: 'CON-03',
        words: 'Every refusal has a code of the catalogue and a correlation id',
        by: {
          [t.mount]: [
            'answers a refusal with its own code',
            'that throws is answered with a correlation id and nothing else',
          ],
          [t.everyRoute]: ['answers 401 without a token'],
        },
      },
      {
        id: 'CON-04',
        words: 'Frozen and active families of routes',
        ruledOtherwise: 'there is one family of routes, and read models are ordinary read routes',
      },
      {
        id: 'CON-05',
        words: 'Documents and clients are generated from the contract; drift fails the build',
        by: { [t.contractGates]: ['names each file that does not follow from the contract'] },
      },
      {
        id: 'CON-06',
        words: 'The outbox is claimed by one relay at a time, with growing pauses, and carries traces',
        by: {
          [t.relay]: ['waits for a bus that is away, with growing pauses', 'has one leader of two'],
          [t.lifeOfProject]: ['carries one trace through HTTP, relay, bus and saga'],
        },
      },
      { id: 'CON-07', words: 'Repetition is protected on every mutating route', sameAs: 'GAP-01' },
      { id: 'CON-08', words: 'Every change is audited by construction', sameAs: 'GAP-02' },
      { id: 'CON-09', words: 'Redaction is part of the logger, not of each call', sameAs: 'GAP-03' },
      {
        id: 'CON-10',
        words: 'Clients are generated, and the command line, workers and console use them',
        sameAs: 'GAP-04',
      },
      { id: 'CON-11', words: 'The tenant is resolved before a handler runs', sameAs: 'GAP-06' },
      { id: 'CON-12', words: 'Allocations have a version and one enforcer of transitions', sameAs: 'GAP-07' },
      { id: 'CON-13', words: 'Forced release is tried a bounded number of times, visibly', sameAs: 'GAP-11' },
      {
        id: 'CON-14',
        words: 'MAAS and allocations follow a documented, enforced sequence',
        by: {
          'server/src/domains/maas/maas.db.test.ts': [
            'erases, deploys and answers with a proof when the host enrolled with the new token',
            'may fail at every step, and never proves what did not happen',
            'gives no proof for a machine that another hand gave back',
          ],
        },
        lacks: 'a real MAAS and real machines: both are simulated here',
      },
    ],
  },
  {
    name: 'Data',
    rows: [
      {
        id: 'DB-01',
        words: 'Tables are listed by domain with their invariants and what never changes',
        by: {
          [t.schema]: ['equals db/schema.sql'],
          [t.domainShape]: ['is kept by every domain, except where the list says otherwise'],
          [t.exists]: [
            'have each table of the schema once, below the domain that owns it',
            'say of each table that only grows that the database refuses its change',
          ],
        },
      },
      {
        id: 'DB-02',
        words:
          'Ledger and audit rows refuse to be changed or removed; audit rows older than their retention leave for archives that verify',
        by: {
          [t.database]: ['never changes or removes an audit row, whoever asks'],
          [t.ledger]: ['only grows, also for its owner'],
          [t.history]: [
            'leaves the database for an archive, and the audit chain goes on after it',
            'notices an archive that was changed, exchanged or removed',
            'keeps what is younger than four weeks, whatever the policy says',
          ],
        },
      },
      {
        id: 'DB-03',
        words: 'An event is in the outbox exactly when its change is in the tables',
        by: {
          [t.database]: [
            'leaves the row, the audit entry and the event together',
            'leaves nothing when the work throws',
          ],
          [t.databasePostgres]: ['leaves the row, the audit entry and the event together'],
        },
      },
      { id: 'DB-04', words: 'Migrations are numbered and each can be taken back', sameAs: 'GAP-24' },
      { id: 'DB-05', words: 'Allocations have a version', sameAs: 'GAP-07' },
      { id: 'DB-06', words: 'Members of an app instance refer to allocations by a foreign key', sameAs: 'APP-14' },
      {
        id: 'DB-07',
        words: 'Migrations are validated: they add up to the committed schema and old ones never change',
        by: { [t.migrations]: ['has every migration as it is'], [t.schema]: ['equals db/schema.sql'] },
      },
    ],
  },
];
