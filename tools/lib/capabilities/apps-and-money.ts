import type { Capability, CapabilityGroup } from './row.ts';
import { files as t } from './tests.ts';

const notBuilt = (id: string, words: string): Capability => ({ id, words, notBuilt: true });

export const appsAndMoney: readonly CapabilityGroup[] = [
  {
    name: 'App Platform',
    rows: [
      notBuilt('APP-01', 'Operating mode and scope of the control plane are independent; instances belong to projects'),
      {
        id: 'APP-02',
        words: 'Trust and promotion are independent',
        by: {
          'server/src/domains/apps/standing.db.test.ts': [
            'has an answer for every cell',
            'is seen, launched and upgraded to as the table says',
          ],
        },
      },
      {
        id: 'APP-03',
        words: 'Only digests are deployed; tags are refused',
        by: {
          'server/src/domains/apps/publishing.db.test.ts': ['cannot publish a tag, root or two endpoints on one port'],
          'server/src/domains/app-instances/upgrades/upgrades.db.test.ts': [
            'takes versions that this project may move to, values that the new manifest takes, and one move at a time',
          ],
          'server/src/domains/app-instances/app-instances.db.test.ts': [
            'is launched on an active allocation of a whole node with the values of its manifest, by a signed task',
          ],
        },
      },
      {
        id: 'APP-04',
        words: 'Manifests of container workloads become typed node tasks',
        by: {
          'server/src/domains/app-instances/app-instances.db.test.ts': [
            'is launched on an active allocation of a whole node with the values of its manifest, by a signed task',
          ],
          'server/src/edge/apps/podman.production.test.ts': [
            'answers through the proxy at the port that its order names',
          ],
        },
      },
      {
        id: 'APP-05',
        words: 'JupyterLab, vLLM and Ollama are manifests of one profile',
        by: {
          'tools/laws/apps/app-slugs.test.ts': [
            'are there',
            'jupyterlab has a manifest',
            'vllm has a manifest',
            'ollama has a manifest',
            'openai-cpu has a manifest',
          ],
          'server/test/apps/app-story.production.test.ts': [
            'with pages is opened in a browser by who launched it, and runs cells over the WebSocket of its kernel',
          ],
        },
      },
      notBuilt('APP-06', 'UI extensions with scoped tokens both ways'),
      {
        id: 'APP-07',
        words: 'A stalled launch recovers',
        by: {
          'server/src/domains/app-instances/app-instances.db.test.ts': [
            'whose launch stands still fails after the stall time',
          ],
        },
        host: 'simulated',
      },
      notBuilt('APP-08', 'Shared runtimes have a whole API'),
      notBuilt('APP-09', 'Access credentials are bound and released in one transaction'),
      {
        id: 'APP-10',
        words: 'Anybody entitled registers a manifest through the API',
        by: {
          'server/src/domains/apps/publishing.db.test.ts': [
            'publishes an app, moves it through the channels, and others find it when it is verified and in prod',
            'needs the right to publish, and a revision that is still true',
          ],
          'server/src/domains/apps/manifest.test.ts': [
            'that the schema refuses is refused, in 10,000 mutations; what is taken stays true to every rule',
          ],
        },
      },
      {
        id: 'APP-11',
        words: 'Apps are metered',
        by: {
          'server/src/domains/app-instances/use/use.db.test.ts': [
            'is the sum of what all copies of the proxy have counted, and a report that comes twice or late counts once',
          ],
          'server/test/apps/stock-apps.production.test.ts': [
            'streams to the public client with a token of a service account, and its tokens are counted for the project',
          ],
          'server/test/apps/app-story.production.test.ts': [
            'streams a chat completion to the client of OpenAI with a token of a service account, and its tokens are counted',
          ],
        },
      },
      notBuilt('APP-12', 'Outside workers have a contract and an identity'),
      notBuilt('APP-13', 'Outside UI bundles have a manifest and an SDK'),
      {
        id: 'APP-14',
        words: 'Members of an app instance refer to its allocations',
        by: {
          'server/src/domains/app-instances/app-instances.db.test.ts': [
            'cannot begin on an allocation that has ended, whatever the code says',
            'ends with its allocation, also while it launches',
          ],
        },
        lacks: 'instances of several members',
      },
      notBuilt('APP-15', 'One tenant’s broken app does not harm another tenant'),
      notBuilt('APP-16', 'App code calls the platform from the server side'),
      {
        id: 'APP-17',
        words: 'A tenant’s own published app is an example, from its recipe to another organization that opens it',
        by: {
          'server/test/apps/app-story.production.test.ts': [
            'is published by a member who administers nothing, verified by its signature, and promoted for everybody',
            'is launched by another organization with an allocation of its own, in a container of podman',
            'is gone with its allocation when it is released, and its container too',
          ],
          'server/test/journeys/docs.production.test.ts': [
            'is true from an empty folder to an app that another project opens',
          ],
          'cli/src/apps/conformance/run.test.ts': [
            'takes an instance through everything, releases it and prints a list',
            'ends at a launch that fails, with its reason, and releases it',
          ],
          'cli/src/apps/compose/convert.test.ts': [
            'makes a manifest of a service that validate takes',
            'names everything that it does not take over, and keeps no password',
          ],
        },
      },
      {
        id: 'APP-18',
        words: 'Pages on apps say in their headers what is built, and when that was last compared with the code',
        by: {
          'tools/lib/capabilities/app-pages.test.ts': [
            'has the status that its rows have',
            'is verified only by tests of its rows that ran and passed in both halves',
            'gets a header that is good for 90 days, and keeps what else stands in it',
          ],
          'tools/laws/tree.test.ts': ['app-pages-are-verified'],
        },
      },
      notBuilt('APP-19', 'Slurm and RKE2 run in an allocation; Slurm on several nodes'),
      {
        id: 'APP-20',
        words:
          'This matrix has rows for manifests, trust and promotion, app billing, shared runtimes and the outside SDK',
        by: { 'tools/gates/gates.test.ts': ['has a row for each part of the app platform'] },
      },
    ],
  },
  {
    name: 'Money and notifications',
    rows: [
      {
        id: 'BIL-01',
        words: 'The balance is the sum of ledger entries that never change',
        by: {
          [t.ledger]: [
            'has a balance that is the sum of its entries, and postings that sum to zero',
            'only grows, also for its owner',
            'keeps its balance while many write at once',
          ],
        },
      },
      {
        id: 'BIL-02',
        words: 'Usage is accrued for each window, by policy',
        by: {
          [t.accrual]: [
            'charges exactly what the evidence proves, however it arrives and in however many windows',
            'charges each window once when several workers are at it at the same time',
            'charges evidence that comes after an outage, and never the time of which there is none',
          ],
          'server/src/domains/billing/accrual-growth.db.test.ts': [
            'grows as the number of allocations does, and not with its square',
            'does not grow with the time that allocations have been running',
          ],
        },
      },
      {
        id: 'BIL-03',
        words: 'A crossing of the low balance is told once',
        by: {
          [t.ladder]: ['warns once for each crossing, announces, says that nothing is left'],
          [t.ladderSteps]: [
            'is warned about once at each threshold, announced, spent, stopped at the announced time, and released after the time of grace',
            'arms the warnings again: the next crossing is told anew',
          ],
          [t.inbox]: ['are written once for an event and a person, however often the event comes'],
        },
      },
      {
        id: 'BIL-04',
        words: 'Depletion releases all active allocations',
        by: {
          [t.ladder]: [
            'asks for the release of everything',
            'has one outcome in any order: released by a balance that was spent, or not at all',
          ],
          [t.eventEnds]: ['are made by the product, and heard by those whom the contract names'],
          'server/test/journeys/docs.production.test.ts': [
            'is true from a balance that is spent to a bill that is proven',
          ],
        },
      },
      {
        id: 'BIL-05',
        words: 'A release for lack of money is announced first',
        by: {
          [t.ladder]: [
            'warns once for each crossing, announces, says that nothing is left',
            'is left by a top-up, which is told and calls the release off',
          ],
          [t.ladderSteps]: ['is announced with the whole notice, however suddenly it is gone'],
        },
      },
      {
        id: 'BIL-06',
        words: 'Usage can be attributed to apps',
        by: {
          'server/src/domains/billing/app-units/charge.db.test.ts': [
            'are charged once for all reports of all copies, also for those that come twice or late',
            'are charged once when several workers charge at a time',
            'cost what the version asked that counted them, and nothing where it asked nothing',
            'are a meter of their own in ledger, usage by app and cost of the instance, and are recomputed from readings',
          ],
        },
      },
      {
        id: 'BIL-07',
        words: 'Accrual and balance are tested on a real PostgreSQL',
        by: {
          [t.accrual]: ['adds up three days of windows of a minute to the price of the three days'],
          [t.ledger]: ['keeps its balance while many write at once'],
          'server/test/money/thirty-days.db.test.ts': [
            'end with the balance of an independent oracle, to the minor unit',
          ],
        },
      },
      {
        id: 'BIL-08',
        words: 'Nobody is charged for a slice whose driver does not work',
        by: {
          [t.evidence]: ['is refused for a lease that this node never proved ready'],
          [t.accrual]: ['charges no more GPUs than were ordered and no GPU that the host did not see'],
        },
        lacks: 'a slice on a real host',
      },
      {
        id: 'PAY-01',
        words: 'Payment webhooks are verified over the raw body and credited once',
        by: {
          [t.webhookFuzz]: ['are refused, all of them, and an event credits once however often it comes'],
          [t.payments]: ['that come many at a time credit once', 'that nobody signed are refused and change nothing'],
          [t.paymentsStripe]: ['reads a signed event, whatever stands beside its signature'],
        },
      },
      {
        id: 'PAY-02',
        words: 'Refunds, and reconciliation that repairs',
        by: {
          [t.payments]: [
            'leaves the balance at once, goes to the provider, and is never more than was paid',
            'takes out what is extra and corrects what is different',
            'that are lost are found by asking, and heard once when they come after all',
          ],
          [t.paymentsStripe]: ['takes a refund as its description has it'],
        },
        lacks: 'a run against an account at Stripe',
      },
      {
        id: 'PAY-03',
        words: 'Money has a lane of its own and always asks for an idempotency key',
        by: {
          [t.everyRoute]: ['asks for a key', 'answers 429 in lane financial when its budget is spent'],
          [t.billingRoutes]: ['is given by finance with a reason'],
          'contract/src/lanes.test.ts': ['of money has every route about money, but for lists that operators read'],
        },
      },
      {
        id: 'NTF-01',
        words: 'Notifications reach browsers through the bus and the cache',
        by: {
          [t.inbox]: ['of money reach owners and admins in words, and members not'],
          [t.consolePeople]: ['notifies the person who launched it, in the bell and on a page'],
        },
        lacks: 'a test of an open browser that is woken by the cache',
      },
      {
        id: 'NTF-02',
        words: 'Mail about low and depleted balance reaches people who are signed out',
        by: {
          [t.mailQueue]: [
            'about low and depleted balances reach a person who is not signed in, and cannot be unsubscribed from',
          ],
          [t.ladder]: ['warns once for each crossing, announces, says that nothing is left'],
          'server/test/journeys/docs.production.test.ts': [
            'is true from a balance that is spent to a bill that is proven',
          ],
        },
      },
      {
        id: 'NTF-03',
        words: 'At the next sign-in people read why allocations ended',
        by: {
          [t.consolePeople]: [
            'shows what colleagues did, and why a launch failed',
            'notifies the person who launched it, in the bell and on a page',
          ],
        },
        lacks: 'a test with an allocation that was released for lack of money; the tests read about a failed launch',
      },
      {
        id: 'STO-01',
        words: 'Storage operations over S3',
        by: {
          'server/src/domains/storage/storage.db.test.ts': [
            'keeps a file with the folders on its way, and gives it back whole and in ranges',
            'keeps a file of several parts that was resumed after a break, and shows nothing of it before',
            'moves files and folders, copies without bytes, and never makes one path two things',
          ],
          'server/src/ports/storage/files.conformance.test.ts': ['leads nowhere by links'],
          'server/src/domains/storage/links.db.test.ts': [
            'opens it without a sign-in, as a download that no browser runs',
            'ends after its time, and after the time that a stricter policy gives',
          ],
          'server/src/domains/billing/storage/charge.db.test.ts': [
            'is charged exactly what was stored times its price, in however many windows and rounds',
            'is charged once when several workers charge at a time',
            'costs nothing before it has a price, and a new price counts from its moment on',
          ],
          'server/src/domains/billing/storage/storage-money.db.test.ts': [
            'takes no files while the balance is spent, gives back and deletes what is there, and loses nothing',
          ],
        },
        lacks: 'lifecycle rules, and an S3 endpoint with the names of tenants',
      },
      notBuilt('STO-02', 'Volumes outlive slices'),
    ],
  },
];
