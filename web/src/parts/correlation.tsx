import { Link } from '@tanstack/react-router';
import { may, useSessionIfAny } from '../client/session.tsx';
import { shortId } from '../words/sizes.ts';
import { CopyMark } from './copy.tsx';

/** A correlation id: it can be copied, and links to the trace for people who may see it. */
export function CorrelationId({ id }: { id: string }) {
  const session = useSessionIfAny();
  const to =
    session &&
    (may(session, 'admin_correlation_get')
      ? '/ops/correlations/$id'
      : may(session, 'correlation_get')
        ? '/correlations/$id'
        : undefined);
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md bg-sunk font-mono text-[13px] text-ink">
      {to ? (
        <Link
          to={to}
          params={{ id }}
          title={`Trace ${id}`}
          className="truncate py-1 ps-2 text-accent underline-offset-2 hover:underline"
        >
          <span className="sr-only">Trace </span>
          {shortId(id)}
        </Link>
      ) : (
        <span className="truncate py-1 ps-2">{shortId(id)}</span>
      )}
      <CopyMark text={id} label="the correlation id" />
    </span>
  );
}
