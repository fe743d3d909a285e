import { constants } from 'node:fs';
import { access, mkdir, stat, statfs } from 'node:fs/promises';
import { makeDisk } from '../../disk.ts';
import { type Identity, makeIdentityFiles } from '../../identity/identity-files.ts';
import { belongsTogether } from '../../identity/keys.ts';
import type { AgentSettings } from '../../settings.ts';
import { makeClient } from '../../transport/client.ts';
import { leadsTo } from '../../transport/trust.ts';
import { type Check, degraded, missing, ok } from './finding.ts';

const leastFreeBytes = 256 * 1024 * 1024;
const comfortableBytes = 4 * leastFreeBytes;
const leastNode = 24;
const limitMs = 10_000;
const enrolAgain = 'paste the line of: gpuaas ops node enrol NODE';
const recover = 'paste the line of: gpuaas ops node enrol NODE --recover';

/** What the agent needs for itself: its folder, who it is, and a way to the control plane. */
export function agentChecks(settings: AgentSettings): Check[] {
  const files = makeIdentityFiles({ disk: makeDisk({ forced: true }), ...settings });
  let identity: Identity | undefined;
  const { stateDir } = settings;
  return [
    {
      ...{ check: 'runtime', title: 'Node.js', needed_for: 'agent' },
      run: async () =>
        Number(process.versions.node.split('.')[0]) >= leastNode
          ? ok(process.versions.node)
          : missing(
              `This is Node ${process.versions.node}; the agent needs ${leastNode} or later.`,
              'install the package of the agent, which has its own',
            ),
    },
    {
      ...{ check: 'state-folder', title: 'state folder', needed_for: 'agent' },
      async run() {
        await mkdir(stateDir, { recursive: true, mode: 0o700 });
        await access(stateDir, constants.R_OK | constants.W_OK);
        const { mode } = await stat(stateDir);
        return (mode & 0o077) === 0
          ? ok(stateDir)
          : missing(`Others can look into ${stateDir}.`, `chmod 700 ${stateDir}`);
      },
    },
    {
      ...{ check: 'free-space', title: 'free space', needed_for: 'agent' },
      async run() {
        const { bavail, bsize } = await statfs(stateDir);
        const free = bavail * bsize;
        const said = `${Math.floor(free / 1_024 ** 2)} MiB are free below ${stateDir}.`;
        if (free < leastFreeBytes) return missing(said, `du -xh --max-depth=1 ${stateDir}   # then make room`);
        return free < comfortableBytes
          ? degraded(said, `du -xh --max-depth=1 ${stateDir}   # then make room`)
          : ok(said);
      },
    },
    {
      ...{ check: 'identity', title: 'identity', needed_for: 'agent' },
      async run() {
        identity = await files.read();
        if (!identity) return missing('This host is not enrolled.', enrolAgain);
        if (identity.validToMs <= Date.now()) return missing('The certificate has expired.', recover);
        return belongsTogether(identity.certificate, identity.key)
          ? ok(`node ${identity.nodeId}, certified until ${new Date(identity.validToMs).toISOString()}`)
          : missing('The key is not the certificate’s.', recover);
      },
    },
    {
      ...{ check: 'node-authority', title: 'authority of nodes', needed_for: 'agent' },
      async run() {
        const authority = await files.nodeAuthority();
        if (authority === undefined) return missing('There is no file that says who may name nodes.', enrolAgain);
        return !identity || leadsTo(identity.certificate, authority)
          ? ok('It has named this node.')
          : missing('The certificate does not come from the authority of nodes.', recover);
      },
    },
    {
      ...{ check: 'control-plane', title: 'control plane', needed_for: 'agent' },
      async run() {
        const trust = await files.httpsTrust();
        if (trust === undefined) {
          return missing('There is no file that says who may be the control plane.', enrolAgain);
        }
        const client = makeClient({
          url: settings.url,
          trust,
          peerId: settings.peerId,
          ...(identity && { identity: { certificate: identity.certificate, key: identity.key } }),
        });
        try {
          await client.call({ method: 'GET', path: '/healthz', limitMs });
          return ok(`${settings.url.host} answers, and its certificate is right.`);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          return missing(
            `${settings.url.host} does not answer: ${why}`,
            `curl -kv ${settings.url.origin}/   # name, route, firewall or proxy`,
          );
        } finally {
          client.close();
        }
      },
    },
  ];
}
