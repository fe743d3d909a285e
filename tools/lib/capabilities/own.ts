import type { CapabilityGroup } from './row.ts';
import { files as t } from './tests.ts';

/** What the product has and the described system does not. */
export const own: readonly CapabilityGroup[] = [
  {
    name: 'More than the described system',
    rows: [
      {
        id: 'OWN-01',
        words: 'A passkey is a second factor: added by its person, asked for at sign-in, good for our origin only',
        by: {
          'server/test/journeys/passkey.test.ts': ['counts as the second factor that a policy asks for'],
          'server/src/edge/oidc/passkey-step.db.test.ts': [
            'asks for the passkey with a choice of a code, and its tokens say how it was proved',
            'refuses a foreign origin, an answer that was used, and the answer to another page',
          ],
          'server/src/ports/identity-provider/factors/passkeys.db.test.ts': [
            'refuse a copy of the key, which counts from where it was copied',
            'take a challenge once, in its place, and within five minutes',
          ],
        },
      },
      {
        id: 'OWN-02',
        words: 'OAuth libraries exchange a signed assertion for a token (RFC 7523), each assertion once',
        by: {
          'server/src/edge/oauth/token-endpoint.db.test.ts': [
            'takes a form without an idempotency key, and answers with a token that works',
            'takes an assertion once, also when the same form comes many times at once',
            'answers what is wrong with a form in the words of OAuth',
          ],
        },
      },
      {
        id: 'OWN-03',
        words: 'An organization has a quota of GPUs over all its projects, also when many ask at once',
        by: {
          'server/src/domains/allocations/quota/quota.db.test.ts': [
            'bounds what people of all projects hold together, and lists what is counted',
            'counts what is queued, and the members of a group together',
            'holds when many of its people ask at once',
          ],
        },
      },
      {
        id: 'OWN-04',
        words:
          'A person can be erased: the mail address leaves the database, and the chains of the audit log still verify',
        by: {
          'server/src/domains/identity/erasure.db.test.ts': [
            'takes every trace of the mail address out of the database, and all chains still verify',
            'takes the text of stored answers that name the person, and their requests do not run again',
          ],
        },
        lacks: 'copies outside the database: backups, exports and logs',
      },
      {
        id: 'OWN-05',
        words:
          'Each process has a role of the database with the rights of a list and no others, and each store a role of its own',
        by: {
          [t.guards]: ['its own schema and nothing of ours', 'from the other keepers and from every family'],
          'server/src/ports/database/rights.db.test.ts': [
            'does with each table what db/rights.txt says, and nothing else',
            'from keys, tokens and sessions',
          ],
        },
      },
      {
        id: 'OWN-06',
        words: 'A line of usage can be proven from signed evidence and recomputed without trusting us',
        by: {
          'server/src/domains/billing/proof.db.test.ts': [
            'is enough to recompute the amount of each day, to the minor unit, in however many parts',
            'does not hold when one byte of evidence, price, time, amount or chain is another',
            'is of the organization: another one finds no such line',
          ],
        },
      },
      {
        id: 'OWN-07',
        words: 'Money is paid in by card: credited once, held while it is disputed, taken back when a dispute is lost',
        by: {
          [t.payments]: [
            'is begun with the provider, made there, and added to the balance once',
            'keeps the payment aside, and gives it free when it is won',
            'takes the payment back when it is lost, even when nobody heard of it',
          ],
        },
        lacks: 'a run against an account at Stripe',
      },
      {
        id: 'OWN-08',
        words: 'Automation quarantines a share of a pool and no more until a person has looked',
        by: {
          'server/src/domains/attention/breaker.db.test.ts': [
            'takes the share of its policy; the rest is still sold, and an alert names what is held back',
            'are quarantined up to the share; the others stay unsold by their alerts, and the breaker names them',
            'is not exceeded in any window, whatever is triggered and reset in whatever order',
          ],
        },
        host: 'simulated',
      },
      {
        id: 'OWN-09',
        words:
          'A slot that was used returns to sale with the host’s proof of its wipe, or by a decision of an operator that stays visible',
        by: {
          [t.wipeProof]: [
            'and neither a probe nor quarantine settles that',
            'is cleared with the proof of the end of its last lease, and not with that of another',
            'needs a recent sign-in, and stays on the slot until its next wipe is proven',
          ],
        },
        host: 'simulated',
      },
      {
        id: 'OWN-10',
        words: 'Background work runs in one process at a time, and a holder that stalled cannot write any more',
        by: {
          [t.leases]: [
            'gives a job to one of two workers, and to the other one when the first stops',
            'goes to another worker when its holder is killed, long before it would have expired',
            'keeps a holder that stalled from writing after another one took over',
            'does not let a write commit under a fence that was never given',
          ],
        },
      },
      {
        id: 'OWN-11',
        words:
          'Sagas on PostgreSQL run on an engine of our own, which hands runs on when a worker stops and takes over those of the earlier engine',
        by: {
          [t.sagasEmbedded]: ['sagas'],
          'server/src/ports/sagas/postgres/postgres.db.test.ts': [
            'go on when every connection to the database is cut',
            'are given back when their worker closes, and another one need not wait for a lease',
            'of a process whose lease ran out are adopted once, and not those of the living',
          ],
          'server/src/ports/sagas/postgres/carry-over.db.test.ts': ['go on where they were, with the same tokens'],
        },
      },
      {
        id: 'OWN-12',
        words: 'History leaves the database for archives after its retention; archives and audit chains still verify',
        by: {
          [t.history]: [
            'leaves the database for an archive, and the audit chain goes on after it',
            'notices an archive that was changed, exchanged or removed',
            'keeps what is younger than four weeks, whatever the policy says',
          ],
        },
      },
      {
        id: 'OWN-13',
        words: 'What a read costs does not grow with history',
        by: { 'tools/laws/history/plans.test.ts': ['does not grow with history'] },
        lacks: 'counts of the allocations of a project, which look at ended ones too',
      },
      {
        id: 'OWN-14',
        words: 'Releases of the agent are streamed into the object store, and what is refused leaves nothing',
        by: {
          'server/src/domains/nodes/releases/upload.db.test.ts': [
            'of 48 MiB reaches the store while the process never holds more than one',
            'leaves nothing when the connection is cut',
            'leaves nothing when its bytes have another digest, are too few or too many',
            'is refused before its first byte is sent, to a sender that waits for leave',
          ],
        },
      },
      {
        id: 'OWN-15',
        words: 'Types of rows are compared with what PostgreSQL answers to each statement of the server',
        by: {
          'tools/laws/rows/rows.test.ts': [
            'is a text that is known before the program runs, and PostgreSQL understands it',
            'answers with the rows that the code says it does',
            'is reported when its type lies',
          ],
        },
      },
      {
        id: 'OWN-16',
        words: 'The guide for your own servers is typed by a test, from an empty PostgreSQL to the first GPU',
        by: {
          [t.guide]: [
            'sets an empty PostgreSQL up, and may be typed again',
            'starts every process of the units from its file of settings, and each is ready',
            'lets the first operator choose a password and sign in',
            'announces a host, which enrols, is published and gives a tenant the first GPU',
          ],
        },
        host: 'simulated',
      },
      {
        id: 'OWN-39',
        words:
          'A host without Node is installed by one line that pins installer, package and authority, or by user data',
        by: {
          'tools/lib/packages/agent-package.test.ts': [
            'have the same bytes for the same files, and other bytes for others',
            'writes the files of the package and no others, and what an earlier version had goes',
          ],
          'server/src/domains/nodes/enrolment/install.test.ts': [
            'runs what was asked for, with the token on standard input and in no list of words',
            'runs nothing that has another digest, and leaves no file',
          ],
          'server/src/domains/nodes/releases/packages.db.test.ts': [
            'are offered with the next enrolment, and the host gets all of it by digest',
          ],
          'server/test/journeys/install/install.production.test.ts': [
            'is a node after one line was pasted, says what it lacks, and is as it was after uninstall',
            'enrols by user data as well, and the files with the token are gone',
          ],
        },
        lacks: 'a run on a machine that systemd has started',
      },
      {
        id: 'OWN-40',
        words: 'The doctor of a host names what is missing and the command that mends it; uninstall leaves nothing',
        by: {
          'agent/src/cli/doctor/host-checks.test.ts': [
            'name what an empty machine lacks, each with the command that mends it',
            'find nothing missing on a host that can be let whole and in slices',
          ],
          'agent/src/cli/uninstall.test.ts': [
            'leaves the tree of the host as it was before the agent came',
            'refuses while a tenant has the host, names the allocation, and changes nothing',
          ],
        },
      },
      {
        id: 'OWN-43',
        words:
          'A site of MAAS keeps its key sealed, sends it to no other address, and shows its machines or why it cannot be used',
        by: {
          'server/src/domains/maas/maas.db.test.ts': [
            'shows what MAAS lists, and never its key',
            'says why it cannot be used: the address, the name, the region',
            'does not send the key of one address to another: the key comes with the new address',
          ],
        },
        host: 'simulated',
      },
      {
        id: 'OWN-42',
        words:
          'Hosts that are let whole run containers of their tenant from images by digest, bounded, apart from each other, and gone with the lease',
        by: {
          'agent/src/host/linux/containers/containers.production.test.ts': [
            'are fetched by digest over TLS with a login from a file',
            'reach the world where they may, and neither the host nor each other’s networks nor metadata',
            'leave the other tenant’s answering while one forks without end and another takes all memory',
            'end when their lease does, and are gone with a stop and a release',
          ],
        },
      },
      {
        id: 'OWN-37',
        words:
          'ssh, scp, rsync, sftp and ports of an allocation pass the terminal gateway; host keys are known beforehand, and a removed key ends what runs',
        by: {
          'server/src/domains/terminal/streams.db.test.ts': [
            'carries SSH to the node, with no grace time in which input could be lost',
            'uses its token once, and only for its own allocation',
            'reaches the ports that policy allows and no others, and the node is told which',
            'is refused where sessions have to be recorded',
          ],
          'server/test/journeys/terminals/ssh.production.test.ts': [
            'runs commands, and carries scp, rsync and sftp byte for byte',
            'refuses a host whose key is not the attested one',
            'forwards a port that policy allows, for several connections at once, and no other port',
            'ends while it runs when its key is removed, and the session is in the list with its end',
          ],
          'agent/src/host/linux/ssh/streams.production.test.ts': [
            'carries ssh, scp, rsync and sftp, byte for byte, with host keys that were attested',
            'ends with the key that opened it, while it runs, and the key lets nobody in again',
          ],
        },
        lacks: 'one run through the gateway to a real host, and SSH certificates',
      },
      {
        id: 'OWN-41',
        words:
          'the gateway is an SSH jump host for the keys of people: ssh -J, scp and sftp to allocations and nothing else, with host keys that are known beforehand; a removed key or member ends what runs',
        by: {
          'server/src/domains/terminal/jump/jump.db.test.ts': [
            'is the same for everybody and for every start: its address and its host key are known beforehand',
            'opens a session of kind ssh by id, alias or name, and the audit log names the key and the person',
            'refuses other ports, unknown names, and machines of other people and tenants, as if they were not there',
            'refuses where sessions have to be recorded, with the reason',
            'ends what a key opened when the key is removed, and opens nothing with it again',
            'ends what a member opened when the member is removed',
          ],
          'server/src/edge/terminal/jump/jump.test.ts': [
            'carries bytes both ways to the machine that is named, byte for byte',
            'holds no more than its bounds when the client reads nothing',
            'has no shell, no commands, no files and no ports of its own, and says so',
          ],
          'server/test/journeys/terminals/ssh.production.test.ts': [
            'runs commands, and carries scp and sftp byte for byte, without our command line',
            'takes the line that the console shows: ssh -J, with host keys that are known beforehand',
            'refuses a key that nobody registered, a shell of its own, other ports, and machines that are not there',
            'ends while it runs when its key is removed, though the machine still knows the other one',
            'is refused by the jump host with the reason',
          ],
        },
        host: 'simulated',
      },
    ],
  },
];
