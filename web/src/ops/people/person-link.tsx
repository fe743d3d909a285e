import { Link } from '@tanstack/react-router';
import { useMay } from '../../client/session.tsx';
import { shortId } from '../../words/sizes.ts';

/** A person by name and id, as operators see them. Roles that may not see people get the id alone. */
export function PersonLink({ id, name }: { id: string; name: string | undefined }) {
  const face = (
    <>
      {name && <bdi className="wrap-anywhere">{name}</bdi>}{' '}
      <span className="font-mono text-xs text-dim">{shortId(id)}</span>
    </>
  );
  return useMay()('user_get') ? (
    <Link to="/ops/people/$id" params={{ id }} title={id} className="text-accent underline-offset-2 hover:underline">
      {face}
    </Link>
  ) : (
    <span title={id}>{face}</span>
  );
}
