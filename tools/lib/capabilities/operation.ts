import type { CapabilityGroup } from './row.ts';
import { files as t } from './tests.ts';

export const operation: readonly CapabilityGroup[] = [
  {
    name: 'Observability and operation',
    rows: [
      {
        id: 'OBS-01',
        words: 'Trace and correlation id run through every layer, asynchronous ones too',
        by: {
          [t.lifeOfProject]: [
            'carries one trace through HTTP, relay, bus and saga',
            'carries one correlation id through the audit rows of all processes',
          ],
        },
      },
      { id: 'OBS-02', words: 'Every process serves metrics', sameAs: 'GAP-25' },
      {
        id: 'OBS-03',
        words: 'Dead letters have a depth metric and an alert',
        by: {
          [t.relay]: ['shows in its metrics what waits, for how long, and what lies dead'],
          [t.tree]: ['obeys the law alerts-have-runbooks'],
          [t.alertRules]: ['DlqDepth is asked about', 'deploy/alerts/events.yml fires when promtool is told'],
        },
      },
      { id: 'OBS-04', words: 'Alive and ready are two questions', sameAs: 'GAP-26' },
      {
        id: 'OBS-05',
        words: 'Operators have commands for fleet health, node metrics and runbooks, also as JSON',
        by: {
          [t.cliCommands]: ['has a command for every operation', 'answers an operator who asks for'],
          'server/src/domains/runbooks/find.test.ts': [
            'finds a runbook by its id, by its alert, and by a finding of the health of the platform',
          ],
          [t.doctor]: [
            'puts the worst first, names the runbook of each finding, and fails for what is bad',
            'does not call in order what it could not look at',
            'shows a runbook as it was written, by the name of its alert',
          ],
        },
      },
      {
        id: 'OBS-06',
        words: 'Node logs reach operators and Loki',
        by: {
          'agent/src/logs/shipping.test.ts': [
            'are pushed in Loki’s form to the address that heartbeats name',
            'survive outages of the gateway and of the agent',
            'are bounded: what finds no room is counted',
          ],
          'server/src/edge/logs/gateway.test.ts': [
            'is handed to the api with the id of its certificate, without secrets, and counted',
            'comes over mutual TLS as a node',
            'beyond the budget of its node waits',
            'gets what was kept, after an outage too',
          ],
          'server/src/domains/logs/logs.db.test.ts': [
            'are found by node, allocation, correlation id, level, text and time',
            'are removed when their time is over',
            'shows lines as they arrive, only those that were asked for',
          ],
        },
      },
      {
        id: 'OBS-07',
        words: 'Terminals have a dashboard, and every panel of every dashboard finds data',
        by: {
          [t.dashboards]: ['of terminals shows sessions, the time from a token to a shell, and recordings'],
          [t.dashboardPanels]: [
            'of terminals has data',
            'has no data when its query asks for a metric, a label or a value that is not there',
          ],
        },
      },
      {
        id: 'OBS-08',
        words: 'Telemetry history survives a restart of the node',
        by: {
          'agent/src/telemetry/samples.test.ts': ['survive the process', 'is sent again until it is answered'],
          'server/src/domains/telemetry/telemetry.db.test.ts': [
            'comes twice and is kept once',
            'kept as averages of five minutes',
          ],
        },
      },
      {
        id: 'RUN-01',
        words: 'Runbooks are categorised, listed in a catalogue and begin with the correlation id',
        by: {
          [t.tree]: ['obeys the law alerts-have-runbooks'],
          [t.runbooks]: [
            'obeys the law runbooks-have-one-shape',
            'obeys the law runbooks-type-known-commands',
            'obeys the law runbooks-name-missing-apis',
            'lists each page once, with a sentence that says what it is for',
          ],
        },
      },
      {
        id: 'RUN-02',
        words: 'Runbooks for recovery of agents and for failure of billing',
        by: {
          [t.runbooks]: [
            'obeys the law runbooks-have-one-shape',
            'has a page for agents after an outage of the control plane, and for a billing-worker that fails',
          ],
        },
      },
      {
        id: 'RUN-03',
        words: 'Incidents have reports with the rules they produced',
        by: { [t.exists]: ['has its parts, and says whom it happened to', 'names tests that are there'] },
        lacks: 'an incident of our own: there were none in production yet, the reports are of comparable systems',
      },
      {
        id: 'RUN-04',
        words: 'The whole stack runs on a developer’s machine',
        ruledOtherwise:
          'npm start runs the whole product over embedded adapters; the composed test runs it over the real servers',
      },
      {
        id: 'DOC-01..08',
        words: 'Pages on processes, domains, capacity, tasks, contract, runbooks, incidents and schema',
        by: {
          [t.exists]: [
            'have each process that the tree can start, and no other',
            'have each domain that is a folder',
            'have each SKU of the catalog that comes with the product, and no other',
            'have each task that an agent handles, and no other',
            'have each state machine, with a page that draws it',
            'have each runbook that is a file, and no other',
            'names tests that are there',
            'have each table of the schema once, below the domain that owns it',
          ],
        },
      },
      {
        id: 'DOC-09',
        words: 'Pages on events, slices, local development, terminals and observability',
        by: {
          [t.concepts]: [
            'are there for events, local development, observability, slices, terminals and ways into a workload',
            'says first what it is for, draws it, and names the code',
          ],
          [t.tree]: ['obeys the law links-lead-somewhere'],
        },
      },
      {
        id: 'DOC-11',
        words: 'This matrix ends with what the product is and what it is not yet',
        by: { [t.gates]: ['says what it is and what it is not yet'] },
      },
    ],
  },
  {
    name: 'Surfaces',
    rows: [
      {
        id: 'SUR-01',
        words: 'Terminal by short-lived binding, never by a public port',
        by: {
          [t.terminalTokens]: ['is void in the 301st second'],
          [t.terminalPage]: ['opens a shell from the allocation, types, resizes and says that the GPUs are simulated'],
        },
      },
      {
        id: 'SUR-02',
        words: 'Browser apps behind managed ingress with ownership checks',
        by: {
          'server/src/edge/apps/proxy.test.ts': [
            'goes to the console with a state, and comes back with a code for a cookie of this host alone',
            'that is refused gets the same page as one to an application that does not exist',
          ],
          'server/src/domains/app-instances/ingress/sign-in.db.test.ts': [
            'is for the people of the project who may use it',
            'is refused to everybody else as if there were no such app',
          ],
          'server/src/edge/apps/podman.production.test.ts': [
            'answers through the proxy at the port that its order names',
          ],
        },
      },
      {
        id: 'SUR-03',
        words: 'API apps behind managed ingress with bearer and ownership',
        by: {
          'server/src/edge/apps/proxy.test.ts': [
            'of the family of programs brings no cookie at all',
            'is no answer to a program: it gets 401',
          ],
          'server/test/journeys/app-instance.test.ts': ['is launched with its allocation in one call'],
        },
      },
      {
        id: 'SUR-04',
        words: 'Metrics and status are read-only surfaces of the platform',
        by: { [t.health]: ['says that the process lives, is ready, and what it counts'] },
      },
      { id: 'SUR-05', words: 'Tools of the platform have routes and policy of their own', notBuilt: true },
      {
        id: 'SUR-06',
        words: 'The control plane owns the intent of routes; the edge enforces it',
        by: {
          'server/src/edge/apps/proxy.test.ts': [
            'is decided by the api once in a while, and not for each request of a page',
            'is closed within five seconds after the right to it was taken away',
          ],
          'server/src/domains/app-instances/app-instances.db.test.ts': [
            'has routes of its own organization and project alone, whatever the code says',
          ],
        },
      },
      {
        id: 'SUR-07',
        words: 'Browser routes and API routes are two families',
        by: {
          'server/src/edge/apps/proxy.test.ts': [
            'of the family of programs brings no cookie at all',
            'goes to the console with a state',
          ],
        },
      },
      {
        id: 'SUR-08',
        words: 'Nothing is exposed by a port of a workload’s node',
        by: {
          'server/src/edge/apps/proxy.test.ts': ['does not tunnel to other addresses'],
          'server/src/edge/apps/podman.production.test.ts': [
            'answers through the proxy at the port that its order names',
          ],
        },
      },
      {
        id: 'SUR-09',
        words: 'Operators can tell owner, route, failing part and runbook of a workload',
        by: {
          'server/src/edge/apps/proxy.test.ts': ['names who broke: the proxy, the node or the application'],
          [t.correlations]: ['holds the act, its event, what its node was told and the timeline'],
          [t.runbookLinks]: [
            'stands on the page of an app instance for an operator, and for nobody else',
            'stands beside each finding of the page Health that is not in order, and beside each alert',
          ],
        },
      },
      {
        id: 'SUR-10',
        words: 'How a runtime is opened, controlled, observed and scaled is written down',
        by: {
          [t.concepts]: [
            'answer for each way into a workload who opens it, who may, where it is seen and by what it is scaled',
          ],
        },
      },
      {
        id: 'SUR-11',
        words: 'What can be opened can be observed',
        by: {
          [t.correlations]: ['tells a tenant what happened in their project, and others nothing'],
          [t.terminalSessions]: ['is shown in lists, and a copy that is silent for a minute is gone'],
          [t.metricsPage]: [
            'draws what the machine measures, and goes on by itself',
            'says why there is nothing to draw',
          ],
          'server/src/domains/logs/logs.db.test.ts': [
            'is for those who rent it: others get the answer of what does not exist',
            'of a whole host is not recorded, and says so',
          ],
        },
        lacks: 'apps',
      },
      {
        id: 'CLI-01',
        words: 'The command line signs in through the browser with PKCE',
        by: { [t.cli]: ['signs in with a browser'] },
      },
      {
        id: 'CLI-02',
        words:
          'The command line browses the catalogue, launches and releases, sees to members, balance and refunds, and exports the audit log',
        by: {
          [t.cliGolden]: [
            'what commands print > sku-list',
            'what commands print > launch-terminal',
            'sends a payment back as it was typed, once',
            'prints the audit log of an organization as the server exports it',
          ],
          [t.guides]: [
            'docs/guides/launch.md does what it says',
            'docs/guides/share-with-a-team.md does what it says',
            'is true from a balance that is spent to a bill that is proven',
          ],
        },
      },
      {
        id: 'CLI-03',
        words: 'Every operation of the API has a command',
        by: { [t.cliCommands]: ['has a command for every operation'] },
      },
      {
        id: 'CLI-04',
        words: 'Commands for operators answer in JSON too',
        by: { [t.cliCommands]: ['answers an operator who asks for'] },
      },
      {
        id: 'SDK-01',
        words: 'Python has a typed SDK',
        by: {
          [t.python]: [
            'compiles, and has a type for everything',
            'launches, waits and releases on a running installation',
          ],
        },
      },
      { id: 'SDK-02', words: 'Typed clients are generated', sameAs: 'GAP-04' },
      {
        id: 'UI-01',
        words: 'The console shows workloads, terminal, administration, billing and apps',
        by: {
          'server/test/journeys/console.test.ts': ['holds one opaque cookie'],
          'web/test/billing.production.test.ts': [
            'shows an owner the balance, the usage in groups, and a ledger that is found correct',
            'lets an owner top up on the checkout page and shows the new balance',
          ],
          [t.terminalPage]: ['opens a shell from the allocation, types, resizes and says that the GPUs are simulated'],
          [t.metricsPage]: ['see the charts of a node, and the wall by temperature'],
        },
        lacks: 'apps',
      },
      { id: 'UI-02', words: 'UI extensions have a registry', notBuilt: true },
      {
        id: 'UI-03',
        words: 'A second tab warns before it takes over',
        by: {
          [t.terminalPage]: ['asks in a second tab: read only first, then it takes over and the first tab says so'],
        },
      },
    ],
  },
  {
    name: 'Governance',
    rows: [
      {
        id: 'GOV-01',
        words: 'Guards for audit, outbox, policies, errors, correlation, traces and scripts fail the build',
        lacks: 'guards for correlation and traces: those are tested by behaviour',
        by: {
          [t.canaries]: [
            'no-forged-commit is reported',
            'no-bare-numbers is reported',
            'no-console is reported',
            'every law of ours has a canary',
          ],
          [t.tree]: ['gives every script a role, and runs every gate'],
        },
      },
      {
        id: 'GOV-02',
        words: 'The contract and the payloads of events are validated',
        by: {
          [t.contractGates]: ['names each file that does not follow from the contract'],
          [t.database]: ['refuses an event whose payload is not as declared'],
        },
      },
      {
        id: 'GOV-03',
        words: 'A breaking change fails the build, and the check fails when its tool is missing',
        by: {
          [t.breaking]: ['because the program is not there'],
          'tools/gates/contract/gates.test.ts': ['names each document of an older release'],
        },
      },
      { id: 'GOV-04', words: 'Generated clients are clean in every build', sameAs: 'CON-05' },
      {
        id: 'GOV-05',
        words: 'Build and tests always run; there is no faster profile',
        by: { [t.tree]: ['gives every script a role, and runs every gate'] },
      },
      {
        id: 'GOV-06',
        words: 'The console is built and tested in every build',
        by: {
          'web/test/console.production.test.ts': ['console'],
          'web/test/mock/answers.test.ts': ['has an answer for every operation that fits the schema of the contract'],
          'web/test/node-buttons.production.test.ts': ['the page of a node'],
          'web/test/pages.production.test.ts': ['shows that it loads'],
        },
      },
      { id: 'GOV-07', words: 'The console is tried in a real browser in every build', sameAs: 'GOV-06' },
      { id: 'GOV-08', words: 'Migrations are validated in every build', sameAs: 'DB-07' },
      {
        id: 'GOV-09',
        words: 'Release branches are guarded',
        ruledOtherwise: 'there is one branch; every landing passes everything',
      },
      {
        id: 'GOV-10',
        words: 'Users and ids are the same in image, unit, package and chart',
        by: {
          [t.oneAccount]: ['is one, with one number and the same modes', 'is reported where '],
          [t.chart]: ['gives no container a right that it does not need'],
        },
      },
      {
        id: 'GOV-11',
        words: 'Static analysis, secrets, vulnerabilities, image scan and hostile requests block at high',
        by: { [t.gates]: ['secrets', 'licences', 'known vulnerabilities'], [t.hostileRequests]: ['whatever is sent'] },
        lacks: 'static analysis and image scan; advisories cannot be read everywhere',
      },
      {
        id: 'GOV-12',
        words: 'Format and lint fail the build',
        by: {
          [t.canaries]: ['no-any is reported when it is broken', 'no-floating-promises is reported when it is broken'],
          [t.hooks]: ['stops code that is unformatted', 'stops code that is with a lint error'],
        },
      },
      {
        id: 'GOV-14',
        words: 'Hooks run the quick checks before a commit',
        by: {
          'tools/dev/commit-message.test.ts': ['accepts', 'refuses'],
          [t.hooks]: ['lets tidy, typed code pass', 'stops code that is carelessly typed'],
        },
      },
      {
        id: 'GOV-15',
        words: 'Updates are proposed by a bot, and a bill of materials names every package',
        by: {
          [t.gates]: ['the bill of materials'],
          'tools/dev/renovate.test.ts': [
            'looks at every package, pins what it proposes',
            'groups packages that we have',
          ],
        },
      },
      {
        id: 'GOV-16',
        words: 'Every script has a role',
        by: { [t.tree]: ['gives every script a role, and runs every gate'] },
      },
      {
        id: 'GOV-18',
        words: 'A folder whose coverage is under its floor is a finding of a gate that runs with every build',
        by: {
          [t.gates]: ['fails a folder under its floor and passes one above'],
          [t.tree]: ['gives every script a role, and runs every gate'],
        },
      },
      {
        id: 'GOV-19',
        words: 'Every process is traced, checked by behaviour and not by a pattern',
        by: { [t.lifeOfProject]: ['carries one trace through HTTP, relay, bus and saga'] },
        lacks: 'traces in a test of the agent and of the workers for billing, mail, notifications and webhooks',
      },
      {
        id: 'GOV-20',
        words: 'Writes ask for a key; a secret that is sent in a URL, a header or a body is kept and logged nowhere',
        by: { [t.everyRoute]: ['asks for a key'], [t.secrets]: ['stays nowhere, whichever way it comes in'] },
      },
      {
        id: 'GOV-21',
        words: 'The three fixes that the reviewers named',
        informative: 'lint, scanners and breaking-change check: GOV-12, GOV-11, GOV-03',
      },
      { id: 'GRD-01', words: 'Changes of API and events begin in the contract', sameAs: 'CON-05' },
      { id: 'GRD-02', words: 'Maps first, guards second, facades third', informative: 'a way of working' },
      {
        id: 'GRD-03',
        words: 'Guards graduate from reporting to blocking',
        ruledOtherwise: 'every guard blocks from its first day',
      },
      {
        id: 'CHK-01..04',
        words: 'Pages are checked against processes, SKUs, tasks and runbooks',
        by: {
          [t.exists]: [
            'have each process that the tree can start, and no other',
            'have each SKU of the catalog that comes with the product, and no other',
            'have each task that an agent handles, and no other',
            'have each runbook that is a file, and no other',
          ],
        },
      },
    ],
  },
];
