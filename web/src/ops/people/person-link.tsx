import { Link } from '@tanstack/react-router';
import { useMay } from '../../client/session.tsx';
import { shortId } from '../../words/sizes.ts';

/** A person by name and id, as operators see them. Roles that may not see people get the id alone. */
export function PersonLink({ id, name }: Named) {
  return useMay()('user_get') ? (
    <Link to="/ops/people/$id" params={{ id }} title={id} className="text-accent underline-offset-2 hover:underline">
      <Face id={id} name={name} />
    </Link>
  ) : (
    <Unlinked id={id} name={name} />
  );
}

/** Who made something: a person, or a program, which has no page. Only people have a name here. */
export function CreatorLink({ id, name }: Named) {
  return name === undefined ? <Unlinked id={id} name={undefined} /> : <PersonLink id={id} name={name} />;
}

interface Named {
  id: string;
  name: string | undefined;
}
const Unlinked = ({ id, name }: Named) => (
  <span title={id}>
    <Face id={id} name={name} />
  </span>
);
const Face = ({ id, name }: Named) => (
  <>
    {name && <bdi className="inline-block min-w-24 wrap-anywhere">{name}</bdi>}{' '}
    <span className="font-mono text-xs text-dim">{shortId(id)}</span>
  </>
);
