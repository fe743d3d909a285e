import type { AllocationDetail } from '@gpuaas/sdk';
import { Copy } from '../parts/copy.tsx';
import { Facts, Panel } from '../parts/page.tsx';
import { readAccess } from '../words/access.ts';

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
            <code>gpuaas ssh-config --write</code> once.
          </p>
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
        </div>
      ) : (
        <p className="text-dim">Its address is not known yet.</p>
      )}
    </Panel>
  );
}
