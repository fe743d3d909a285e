/** The page of the docs that says what to do. It is served by the same installation, outside of the console. */
export function RunbookLink({ id }: { id: string | undefined }) {
  if (id === undefined) return null;
  return (
    <a className="text-sm text-accent underline underline-offset-2" href={`/docs/runbooks/${id}`}>
      Runbook
    </a>
  );
}
