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
          {it.simulated && (
            <p className="text-warn">This machine is simulated and does not exist: SSH cannot reach it.</p>
          )}
          <Copy text={access.line} label="the SSH line" />
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
