import { Link } from '@tanstack/react-router';
import { shortId } from '../words/sizes.ts';

/** The tenant, where only its id is known. */
export const TenantLink = ({ id }: { id: string }) => (
  <Link
    to="/ops/tenants/$id"
    params={{ id }}
    className="font-mono text-[13px] whitespace-nowrap text-accent underline-offset-2 hover:underline"
  >
    {shortId(id)}
  </Link>
);
