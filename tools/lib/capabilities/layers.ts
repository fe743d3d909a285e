import type { CapabilityGroup } from './row.ts';
import { files as t } from './tests.ts';

export const layers: readonly CapabilityGroup[] = [
  {
    name: 'Layers and topology',
    rows: [
      {
        id: 'LAY-01',
        words: 'Public traffic ends at an edge with TLS, a firewall for requests and routes for API and terminal',
        by: {
          [t.edge]: [
            'leads people to both api processes, by HTTP/2 and TLS alone',
            'carries a terminal between a browser and a host',
            'refuses names that are not of the installation',
            'refuses bodies that no operation takes, and a flood from one address',
          ],
        },
        lacks: 'a firewall that looks into requests: the edge has limits of sizes, rates and names alone',
      },
      {
        id: 'LAY-02',
        words: 'The API authenticates, authorises, validates, writes state and mints tokens',
        by: {
          [t.mount]: ['is not reached by a caller whose token was revoked, who spent the budget, or who may not'],
          [t.everyRoute]: ['answers its example as promised'],
        },
      },
      {
        id: 'LAY-03',
        words: 'Workers for provisioning, billing, webhooks, notifications and the outbox run apart from the API',
        by: {
          [t.lifeOfProject]: ['begins with an organization and ends as deleted'],
          [t.guide]: ['starts every process of the units from its file of settings, and each is ready'],
          [t.composed]: ['goes on while '],
        },
        lacks: 'a process of its own for webhooks of payments, which the api takes',
      },
      {
        id: 'LAY-04',
        words: 'Workflows and events are durable: Temporal or PostgreSQL, NATS JetStream or PostgreSQL, one outbox',
        by: {
          [t.sagasEmbedded]: ['sagas'],
          [t.sagasTemporal]: ['sagas'],
          [t.busNats]: ['bus'],
          [t.relay]: ['carries every committed event to the bus'],
        },
      },
      {
        id: 'LAY-05',
        words: 'Data lie in PostgreSQL, Redis, an object store and a certificate authority, each behind a port',
        by: {
          [t.databasePostgres]: ['database'],
          [t.cacheRedis]: ['cache'],
          [t.stepCa]: ['certificates'],
          'web/test/storage.production.test.ts': ['uploads files of several parts, and downloads them as they were'],
        },
      },
      {
        id: 'LAY-06',
        words: 'Agents on hosts run typed tasks, report, and give users access under policy',
        by: {
          [t.agent]: ['runs a task and posts a result'],
          [t.linuxHost]: ['has a home that nobody else can look into'],
        },
        lacks: 'the relay of terminals, and slices on real hosts',
      },
      {
        id: 'LAY-07',
        words:
          'A request can be followed through traces, logs, events and workers; degradation alerts and has a runbook',
        by: {
          [t.lifeOfProject]: ['carries one trace through HTTP, relay, bus and saga', 'carries one correlation id'],
          [t.tree]: ['obeys the law alerts-have-runbooks'],
        },
        lacks: 'kept evidence of releases and incidents',
      },
      { id: 'LAY-08', words: 'Identity, orchestration and apps share one bus and one ledger', notBuilt: true },
      {
        id: 'LAY-09',
        words: 'The edge can be reached over the internet or over a private network',
        by: {
          [t.edge]: [
            'leads people to both api processes, by HTTP/2 and TLS alone',
            'serves callers of the VPN and refuses others, whatever way they come',
            'takes webhooks of payments from the internet, and nothing else',
          ],
        },
      },
      {
        id: 'LAY-10',
        words: 'Every request passes the same stages in one order',
        ruledOtherwise:
          'correlation and trace come first, then limits, authentication, deny list, service accounts, tenant, rate limit, key and validation',
      },
      {
        id: 'LAY-11',
        words: 'One API process imports its domains; how a domain would leave it is written down',
        by: { [t.canaries]: ['is reported when it is broken'] },
        lacks: 'a check that holds what docs/architecture.md says of it to the code',
      },
      {
        id: 'LAY-12',
        words: 'JupyterLab, vLLM, Ollama, Slurm and RKE2 run as published apps, not as special cases',
        notBuilt: true,
      },
      {
        id: 'LAY-13',
        words: 'The contract comes first: documents are emitted from it and pages only summarise',
        sameAs: 'CON-05',
      },
      {
        id: 'LAY-14',
        words: 'Every page that describes the product has a status that tests hold it to',
        by: { [t.gates]: ['holds documents to their status'] },
      },
      {
        id: 'TOP-01',
        words: 'The edge leads to the API and the terminal gateway; the command line leads to the API',
        by: {
          [t.cli]: ['calls operations, and says by its exit code how they went'],
          [t.edge]: ['leads people to both api processes', 'carries a terminal between a browser and a host'],
        },
      },
      {
        id: 'TOP-02',
        words: 'Tasks reach an agent over mutual TLS only',
        by: { [t.door]: ['takes nobody’s word for being a node', 'hands a task to a node that waits'] },
      },
      {
        id: 'TOP-03',
        words: 'The terminal gateway and agents relay streams',
        by: {
          [t.agentOpen]: ['dials the gateway with the certificate of the node, and succeeds when bytes can flow'],
          [t.agentSession]: ['delivers every byte once over 50 random cuts of the connection'],
          [t.terminalJourney]: [
            'runs commands, resizes, is interrupted in a flood, and goes on with the same pid when its gateways are killed',
          ],
        },
      },
      {
        id: 'TOP-04',
        words: 'Operators read the logs of agents',
        ruledOtherwise: 'agents push logs, nobody pulls them; OBS-06 has the way that is built',
      },
      {
        id: 'TOP-05',
        words: 'API and workers speak through subjects of a bus',
        by: { [t.lifeOfProject]: ['begins with an organization and ends as deleted'], [t.busNats]: ['bus'] },
      },
      {
        id: 'TOP-06',
        words: 'App controllers speak to the API and to agents',
        ruledOtherwise: 'controllers use the public API alone and never reach an agent; none is built yet',
      },
      {
        id: 'TOP-07',
        words: 'API, workers, gateways, agents and controllers are joined as drawn',
        by: { [t.lifeOfAllocation]: ['the life of an allocation'] },
        lacks: 'gateways, app worker and controllers',
      },
      {
        id: 'TOP-08',
        words: 'API, gateways and telemetry listen on fixed, documented ports',
        by: {
          [t.process]: ['is handed its ports, its settings and the tools that all have'],
          [t.doors]: [
            'are all known, and no two are the same, so that every process fits on one machine',
            'are those of the guide for your own servers',
            'are those that the edge passes on to',
          ],
        },
        lacks: 'guest telemetry',
      },
    ],
  },
  {
    name: 'Processes',
    rows: [
      {
        id: 'BIN-01',
        words:
          'api serves every public and admin route; a verified token is remembered for five minutes; a change writes its row, its audit entry and its event in one transaction',
        by: {
          [t.everyRoute]: ['covers every route, and nothing else', 'answers its example as promised'],
          'server/src/edge/http/admission/authentication.test.ts': ['verifies a token once'],
          [t.database]: ['leaves the row, the audit entry and the event together'],
        },
      },
      {
        id: 'BIN-02',
        words: 'node-agent runs typed tasks for slices and whole hosts, terminals and telemetry on a real host',
        by: {
          [t.agent]: ['runs a task and posts a result'],
          [t.linuxHost]: ['has a terminal with its own name, ids and home'],
        },
        lacks: 'slices on real hosts, terminal streams, guest telemetry',
      },
      {
        id: 'BIN-03',
        words: 'gpuaas is the command line for users and operators: sign-in, catalogue, projects, allocations, billing',
        by: {
          [t.cli]: ['signs in with a browser'],
          [t.cliCommands]: ['has a command for every operation', 'and the command calls exactly that'],
        },
      },
      { id: 'BIN-04', words: 'slurm-reference-controller runs Slurm inside an allocation', notBuilt: true },
      { id: 'BIN-05', words: 'terminal-gateway carries terminals over WebSocket', sameAs: 'TOP-03' },
      {
        id: 'BIN-06',
        words: 'provisioning-worker drives allocations and releases, one workflow for each request',
        by: { [t.sagas]: ['may run each step twice', 'may fail at every step', 'becomes active with an attestation'] },
        host: 'simulated',
      },
      { id: 'BIN-07', words: 'rke2-self-managed-controller runs Kubernetes inside an allocation', notBuilt: true },
      {
        id: 'BIN-08',
        words: 'billing-worker accrues usage, warns on low balance and forces releases',
        by: {
          [t.accrual]: ['charges exactly what the evidence proves, however it arrives and in however many windows'],
          [t.ladder]: ['warns once for each crossing, announces', 'asks for the release of everything'],
          [t.quotes]: ['is kept by the billing-worker when nothing else ended the allocation'],
          'server/test/journeys/docs.production.test.ts': [
            'is true from a balance that is spent to a bill that is proven',
          ],
        },
      },
      {
        id: 'BIN-09',
        words: 'webhook-worker verifies payments’ webhooks and credits each event once',
        by: { [t.payments]: ['that come many at a time credit once'] },
        lacks:
          'a process of its own: the api does it in one transaction, and our webhook-worker posts events to organizations',
      },
      {
        id: 'BIN-10',
        words: 'app-runtime-worker drives the life of app instances',
        by: { 'server/test/journeys/app-instance.test.ts': ['is launched with its allocation in one call'] },
        host: 'simulated',
      },
      {
        id: 'BIN-11',
        words: 'notification-relay brings notifications from the bus to browsers',
        by: {
          [t.inbox]: [
            'of money reach owners and admins in words, and members not',
            'are written once for an event and a person, however often the event comes',
          ],
          [t.consolePeople]: ['notifies the person who launched it, in the bell and on a page'],
          [t.guide]: ['starts every process of the units from its file of settings, and each is ready'],
        },
        lacks: 'a test of an open browser that is woken by the cache',
      },
      {
        id: 'BIN-12',
        words: 'outbox-relay claims committed events, publishes them in order and remembers what is published',
        by: { [t.relay]: ['carries every committed event to the bus', 'has one leader of two'] },
      },
      {
        id: 'BIN-13',
        words: 'node-log-gateway takes the logs of agents and shows them to operators',
        sameAs: 'OBS-06',
      },
      {
        id: 'BIN-14',
        words: 'email-worker delivers mail for money and for the life of an allocation',
        by: {
          [t.letters]: ['is mailed once, however often its event is delivered'],
          [t.mailQueue]: [
            'say in text and markup what the list says, with a link, and are sent once',
            'about low and depleted balances reach a person who is not signed in',
            'about payments that failed, went back or are disputed say what became of the money',
            'that a server does not take are tried again with growing pauses, and given up at last',
            'of a day are one mail',
          ],
          'server/src/ports/mail/smtp.production.test.ts': ['mail'],
        },
      },
      {
        id: 'BIN-15',
        words: 'The console is a web application with a terminal',
        by: {
          'server/test/journeys/console.test.ts': ['holds one opaque cookie'],
          [t.terminalPage]: ['opens a shell from the allocation, types, resizes and says that the GPUs are simulated'],
        },
      },
      { id: 'BIN-16', words: 'Python has an SDK', sameAs: 'SDK-01' },
    ],
  },
  {
    name: 'Domains',
    rows: [
      {
        id: 'SVC-01',
        words: 'Identity comes from an OpenID provider; projects, membership and roles come from our own rows',
        by: {
          [t.signIn]: [
            'finds it by discovery, takes its tokens, and sends people there',
            'takes no role from its tokens',
            'makes a person with an organization of their own',
          ],
          [t.authorisation]: ['as the contract says'],
          'server/test/issuers/keycloak.production.test.ts': [
            'signs a person in with the command line by a device code, and demands the proof key that it sends',
            'signs a person in to the console, whose browser holds no token',
            'makes no operator by a role of its own',
            'lets a browser that it still knows back in only with the password after all sign-ins of a person were revoked',
          ],
        },
      },
      { id: 'SVC-02', words: 'Inventory: SKUs, nodes and a catalogue', sameAs: 'CAP-02' },
      { id: 'SVC-03', words: 'Provisioning: API and worker bring allocations to life and end them', sameAs: 'FLW-P5' },
      { id: 'SVC-04', words: 'Billing: ledger and accrual', sameAs: 'FLW-B1' },
      {
        id: 'SVC-05',
        words: 'Payments and refunds',
        by: {
          [t.payments]: [
            'is begun with the provider, made there, and added to the balance once',
            'leaves the balance at once, goes to the provider, and is never more than was paid',
          ],
        },
        lacks: 'a run against an account at Stripe',
      },
      {
        id: 'SVC-06',
        words: 'Terminal sessions, tokens and bindings',
        by: {
          [t.terminalTokens]: ['is 256 bits in hex', 'asks the node for a shell, as the login of the allocation'],
          [t.terminalSessions]: [
            'opens it by arriving, and who waits for its home is answered at once',
            'is refused as another node, with a revoked certificate, and after the end',
            'wakes its gateway at once, is shown with a reason, and happens once',
          ],
        },
      },
      { id: 'SVC-07', words: 'App lifecycle, shared runtimes, access credentials', notBuilt: true },
      {
        id: 'SVC-08',
        words: 'Storage operations',
        by: {
          'server/src/domains/storage/storage.db.test.ts': [
            'deletes to the trash, restores from there, and removes bytes only when nothing uses them',
            'opens a namespace to a person of another project by a grant alone, until it is revoked',
          ],
          'server/src/domains/storage/tokens.db.test.ts': [
            'stores and reads files of the project, and its level is all that it has',
            'is refused from the next request on when its allocation begins to end',
          ],
          'web/test/storage.production.test.ts': [
            'goes on with an upload that was cut, and sends no part of it twice',
            'offers a viewer to read, and nothing else',
          ],
        },
      },
      {
        id: 'SVC-09',
        words: 'Privileged operations are routes of their own, for operators only',
        by: { [t.everyRoute]: ['is closed to tenants'], [t.authorisation]: ['as the contract says'] },
      },
      {
        id: 'SVC-10',
        words: 'Notifications by stream and by mail',
        by: {
          [t.watch]: ['tells what happens in a project, in order, and nothing of others'],
          [t.letters]: ['is mailed once, however often its event is delivered'],
          [t.inbox]: [
            'of money reach owners and admins in words, and members not',
            'wait for what each person chose: hidden from the list, mailed each, once a day or not at all',
          ],
          [t.mailQueue]: ['say in text and markup what the list says, with a link, and are sent once'],
        },
      },
      {
        id: 'SVC-11',
        words: 'SSH keys of people reach their machines and leave them',
        by: {
          'server/src/domains/ssh/ssh-keys.db.test.ts': ['are added with fingerprint and comment, listed, and removed'],
          'server/src/domains/allocations/keys/keys.db.test.ts': [
            'lose those of a member who was removed, and the node is told the rest',
            'lose one that its owner deleted',
          ],
        },
        lacks: 'one run from the API to a real host',
      },
      {
        id: 'SVC-12',
        words: 'Bare metal is deployed, released and powered through MAAS',
        by: {
          'server/src/domains/maas/maas.db.test.ts': [
            'ends with a node that enrolled with the token of its deployment',
            'erases it and has its node removed',
            'are jobs that end when MAAS shows it',
          ],
          'server/test/maas/public-client.production.test.ts': [
            'is driven by the public client of MAAS from a new machine to an erased one',
          ],
        },
        lacks: 'a real MAAS and real machines: both are simulated here',
      },
      {
        id: 'SVC-13',
        words: 'Errors, stages, policy, outbox, generated types, redaction and tracing are shared by all domains',
        by: {
          [t.canaries]: ['no-forged-commit is reported', 'edge-enters-by-the-door is reported'],
          [t.log]: ['never shows a secret, wherever it comes in'],
        },
      },
      {
        id: 'SVC-14',
        words: 'A domain owns its tables; others come through its door or by events',
        by: {
          [t.canaries]: ['domains-meet-at-the-door is reported'],
          'tools/laws/tables/table-owners.test.ts': [
            'is written by the domain that owns it',
            'has one owner, which names it in its README',
            'is not written by another domain',
          ],
        },
      },
    ],
  },
];
