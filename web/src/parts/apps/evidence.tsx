import type { AppVersion } from '@gpuaas/sdk';
import { Chip } from '../chip.tsx';
import { Ago } from '../time.tsx';

const tones = { passed: 'ok', failed: 'bad', missing: 'warn' } as const;
const subjects = { source: 'Source', digest: 'Digest', signature: 'Signature', sbom: 'SBOM' } as const;

/** What verification found about a version, why it gave no answer, and when it looks again. */
export function Evidence({
  version,
}: {
  version: Pick<AppVersion, 'evidence' | 'verification' | 'revocation_reason'>;
}) {
  const { evidence, verification, revocation_reason: revoked } = version;
  return (
    <ul className="grid gap-1 text-sm">
      {revoked !== null && <li>Revoked: {revoked}</li>}
      {evidence.map(({ subject, result, detail }) => (
        <li key={subject} className="flex flex-wrap items-baseline gap-2">
          <Chip tone={tones[result]}>
            {subjects[subject]} {result}
          </Chip>
          <span className="break-all text-dim">{detail}</span>
        </li>
      ))}
      {verification.trouble !== null && <li>No answer: {verification.trouble}</li>}
      {verification.due_at !== null && (
        <li className="text-dim">
          Looks again <Ago at={verification.due_at} />
        </li>
      )}
    </ul>
  );
}
