import { constants } from 'node:fs';
import { access, mkdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDisk } from '../disk.ts';
import { type Identity, makeIdentityFiles } from '../identity/identity-files.ts';
import { belongsTogether } from '../identity/keys.ts';
import { openLeases } from '../leases/leases.ts';
import type { AgentSettings } from '../settings.ts';
import { openJournal } from '../tasks/journal.ts';
import { makeClient } from '../transport/client.ts';
import { leadsTo } from '../transport/trust.ts';

/** Commands that look and change nothing. */
export async function describeNode(settings: AgentSettings): Promise<object> {
  const disk = makeDisk({ forced: true });
  const at = (name: string) => join(settings.stateDir, name);
  const identity = await makeIdentityFiles({ disk, ...settings }).read();
  const leases = await openLeases({ disk, dir: at('leases') });
  const journal = await openJournal({ disk, dir: at('tasks') });
  return {
    enrolled: identity !== undefined,
    ...(identity && { node_id: identity.nodeId, certificate_valid_to: new Date(identity.validToMs).toISOString() }),
    draining: (await disk.read(at('drain.json'))) !== undefined,
    leases: leases.held(),
    tasks: journal.open().map(({ state, task }) => ({ task_id: task.task_id, task_type: task.task_type, state })),
    unreadable: [...leases.unreadable, ...journal.unreadable],
  };
}

export interface Finding {
  readonly name: string;
  /** What is wrong and what helps; nothing when all is well. */
  readonly trouble?: string;
}

const leastFreeBytes = 256 * 1024 * 1024;
const leastNode = 24;
const limitMs = 10_000;

export async function examine(settings: AgentSettings): Promise<Finding[]> {
  const disk = makeDisk({ forced: true });
  const files = makeIdentityFiles({ disk, ...settings });
  let identity: Identity | undefined;
  const looks: [string, () => Promise<string | undefined>][] = [
    [
      'Node.js',
      async () =>
        Number(process.versions.node.split('.')[0]) >= leastNode
          ? undefined
          : `this is Node ${process.versions.node}; install ${leastNode} or later`,
    ],
    [
      'state folder',
      async () => {
        await mkdir(settings.stateDir, { recursive: true, mode: 0o700 });
        await access(settings.stateDir, constants.R_OK | constants.W_OK);
        const { mode } = await stat(settings.stateDir);
        return (mode & 0o077) === 0 ? undefined : `others can look into ${settings.stateDir}; chmod 700 it`;
      },
    ],
    [
      'free space',
      async () => {
        const { bavail, bsize } = await statfs(settings.stateDir);
        return bavail * bsize >= leastFreeBytes ? undefined : `less than ${leastFreeBytes} bytes are left on the disk`;
      },
    ],
    [
      'identity',
      async () => {
        identity = await files.read();
        if (!identity) return 'this host is not enrolled; node-agent enrol --ca-fingerprint … --token -';
        if (identity.validToMs <= Date.now())
          return 'the certificate has expired; enrol again with an operator’s token';
        return belongsTogether(identity.certificate, identity.key) ? undefined : 'the key is not the certificate’s';
      },
    ],
    [
      'authority of nodes',
      async () => {
        const authority = await files.nodeAuthority();
        if (authority === undefined) return 'there is no file that says who may name nodes';
        return !identity || leadsTo(identity.certificate, authority)
          ? undefined
          : 'the certificate does not come from the authority of nodes';
      },
    ],
    [
      'control plane',
      async () => {
        const trust = await files.httpsTrust();
        if (trust === undefined) return 'there is no file that says who may be the control plane';
        const client = makeClient({
          url: settings.url,
          trust,
          peerId: settings.peerId,
          ...(identity && { identity: { certificate: identity.certificate, key: identity.key } }),
        });
        try {
          await client.call({ method: 'GET', path: '/healthz', limitMs });
          return undefined;
        } finally {
          client.close();
        }
      },
    ],
  ];
  const findings: Finding[] = [];
  for (const [name, look] of looks) {
    const trouble = await look().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    findings.push({ name, ...(trouble !== undefined && { trouble }) });
  }
  return findings;
}
