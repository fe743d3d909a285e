import { Link } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { useMay } from '../client/session.tsx';
import { shortId } from '../words/sizes.ts';
import { tenantName } from '../words/tenants.ts';

/** Names change seldom, and one list serves all rows. */
const freshMs = 300_000;

/** The tenant by name; by id where its name is not among the first 200, or may not be seen. */
export function TenantLink({ id }: { id: string }) {
  const tenants = useAsk(['tenants', 'names'], (options) => api.adminOrganizations.list({ limit: 200 }, options), {
    enabled: useMay()('admin_organization_list'),
    freshMs,
  });
  const tenant = tenants.data?.data.find((each) => each.id === id);
  const name = tenant && tenantName(tenant);
  return (
    <Link
      to="/ops/tenants/$id"
      params={{ id }}
      title={id}
      className={`text-accent underline-offset-2 hover:underline ${name ? 'line-clamp-2 min-w-24 wrap-anywhere' : 'font-mono text-[13px] whitespace-nowrap'}`}
    >
      {name ? <bdi>{name}</bdi> : shortId(id)}
    </Link>
  );
}
