import { Link } from '@tanstack/react-router';

/** The page of the object. */
type Place =
  | '/allocations/$id'
  | '/groups/$id'
  | '/ops/accounts/$id'
  | '/ops/allocations/$id'
  | '/ops/nodes/$id'
  | '/ops/people/$id'
  | '/ops/tenants/$id';

/** The name that opens a row. Names can be long, so they are cut after two lines. */
export function NameCell({ to, id, name, also }: { to: Place; id: string; name: string; also?: string }) {
  return (
    <span>
      <Link
        to={to}
        params={{ id }}
        className="line-clamp-2 min-w-40 font-medium break-all text-accent underline-offset-2 hover:underline"
        title={name}
      >
        <bdi>{name}</bdi>
      </Link>
      {also && <span className="font-mono text-xs text-dim">{also}</span>}
    </span>
  );
}
