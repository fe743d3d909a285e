import { Link, useRouterState } from '@tanstack/react-router';
import { shortId } from '../words/sizes.ts';
import { CopyMark } from './copy.tsx';

/** The id of a request: it leads to everything that followed, and can be taken elsewhere. */
export function CorrelationId({ id }: { id: string }) {
  const operating = useRouterState({ select: ({ location }) => location.pathname.startsWith('/ops') });
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md bg-sunk font-mono text-[13px] text-ink">
      <Link
        to={operating ? '/ops/correlations/$id' : '/correlations/$id'}
        params={{ id }}
        title={`What ${id} led to`}
        className="truncate py-1 ps-2 text-accent underline-offset-2 hover:underline"
      >
        <span className="sr-only">What this led to: </span>
        {shortId(id)}
      </Link>
      <CopyMark text={id} label="the correlation id" />
    </span>
  );
}
