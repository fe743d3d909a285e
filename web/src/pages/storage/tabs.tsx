import { Link } from '@tanstack/react-router';
import { useMay } from '../../client/session.tsx';

const tabs = [
  { to: '/storage', label: 'Namespaces', needs: 'storage_namespace_list' },
  { to: '/storage/grants', label: 'Grants', needs: 'storage_grant_list' },
  { to: '/storage/trash', label: 'Trash', needs: 'storage_trash_list' },
] as const;

/** The pages of storage beside each other. */
export function StorageTabs() {
  const may = useMay();
  return (
    <nav aria-label="Storage" className="-mb-2 flex gap-1 overflow-x-auto border-b border-edge">
      {tabs
        .filter(({ needs }) => may(needs))
        .map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: true, includeSearch: false }}
            className="-mb-px border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-dim hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
          >
            {label}
          </Link>
        ))}
    </nav>
  );
}
