import type { UsageView } from './usage.tsx';

const formats = [
  ['csv', 'CSV'],
  ['focus', 'FOCUS 1.3'],
  ['parquet', 'Parquet'],
] as const;

/** The same days and filters as a file. The browser saves it while it is being sent. */
export function ExportLinks({ organizationId, view }: { organizationId: string; view: UsageView }) {
  const href = (format: string) => {
    const query = new URLSearchParams({ format, from: view.from, to: view.to, ...(view.sku && { sku: view.sku }) });
    return `/api/v1/organizations/${encodeURIComponent(organizationId)}/billing/usage/export?${query}`;
  };
  return (
    <span className="flex flex-wrap items-center gap-2 text-sm">
      <span className="text-dim">Export</span>
      {formats.map(([format, name]) => (
        <a
          key={format}
          className="text-accent underline underline-offset-2"
          href={href(format)}
          download={`usage-${view.from}-${view.to}.${format === 'parquet' ? 'parquet' : 'csv'}`}
        >
          {name}
        </a>
      ))}
    </span>
  );
}
