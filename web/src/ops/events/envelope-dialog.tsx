import type { ReactNode } from 'react';
import { CodeBlock } from '../../parts/copy.tsx';
import { CorrelationId } from '../../parts/correlation.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Facts } from '../../parts/page.tsx';

/** An event: its envelope, then its payload. */
export function EnvelopeDialog({
  title,
  envelope,
  correlationId,
  children,
  onClose,
}: {
  title: string;
  envelope: object;
  correlationId: string;
  children?: ReactNode;
  onClose(): void;
}) {
  const { payload, ...outside } = envelope as Readonly<Record<string, unknown>>;
  const facts = Object.entries(outside).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return (
    <Dialog open onClose={onClose} wide title={title}>
      <div className="grid gap-4">
        {children}
        <Facts
          rows={[
            ['Trace', <CorrelationId key="story" id={correlationId} />],
            ...facts
              .filter(([name]) => name !== 'correlation_id' && name !== 'event_type')
              .map(
                ([name, value]) =>
                  [
                    name.replaceAll('_', ' '),
                    <code key={name} className="font-mono text-[13px]">
                      {String(value)}
                    </code>,
                  ] as const,
              ),
          ]}
        />
        <div>
          <h3 className="mb-1 font-semibold">Payload</h3>
          <CodeBlock text={JSON.stringify(payload ?? {}, undefined, 2)} />
        </div>
      </div>
    </Dialog>
  );
}
