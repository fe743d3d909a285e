import type { AllocationDetail } from '@gpuaas/sdk';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { Copy } from '../parts/copy.tsx';
import { Facts, Panel } from '../parts/page.tsx';
import { readAccess, readJump } from '../words/access.ts';

const hourMs = 3_600_000;

/** The way in for people who have ssh and nothing of ours. Nothing is shown where the installation has no jump host. */
function JumpLine({ it }: { it: AllocationDetail }) {
  const host = useAsk(['jump-host'], (options) => api.terminals.jumpHostGet(options), { freshMs: hourMs });
  const jump = host.data && readJump(it, host.data);
  if (!jump) return null;
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="text-dim">With ssh alone, through the jump host, which knows the keys that you registered:</p>
      <Copy text={jump.line} label="the SSH line through the jump host" />
      <p className="text-dim">
        Put these lines into <code>~/.ssh/known_hosts</code> first, so that ssh trusts nothing on first use:
      </p>
      <Copy text={jump.knownHosts.join('\n')} label="the known hosts" />
    </div>
  );
}

/** How to sign in: one line to paste, and the host key to verify. */
export function AccessPanel({ it }: { it: AllocationDetail }) {
  const access = readAccess(it);
  return (
    <Panel title="Access">
      {access ? (
        <div className="grid grid-cols-1 gap-3">
          <Copy text={`gpuaas ssh ${it.id}`} label="the SSH command" />
          <p className="text-dim">
            It goes through the gateway, with one of the keys below. For ssh, scp, rsync and editors, run{' '}
            <code>gpuaas ssh-config --write</code> once. With <code>--certificate</code> both need no installed key.
          </p>
          <JumpLine it={it} />
          {it.simulated ? (
            <p className="text-warn">This machine is simulated: it has no address of its own.</p>
          ) : (
            <Copy text={access.line} label="the SSH line" />
          )}
          <Facts
            rows={[
              ['Username', access.username],
              ...(access.hostKey
                ? ([['Host key', <Copy key="key" text={access.hostKey} label="the host key" />]] as const)
                : []),
              [
                'Authorized SSH keys',
                it.ssh_keys.length === 0 ? (
                  'none: SSH sign-in is not possible'
                ) : (
                  <span key="keys" className="grid font-mono text-[13px] break-all">
                    {it.ssh_keys.map((key) => (
                      <span key={key.ssh_key_id}>{key.fingerprint}</span>
                    ))}
                  </span>
                ),
              ],
            ]}
          />
          <p className="text-dim">
            A key that is removed here stops opening the machine. Keys that you add inside the machine yourself are
            yours to remove.
          </p>
        </div>
      ) : (
        <p className="text-dim">Its address is not known yet.</p>
      )}
    </Panel>
  );
}
