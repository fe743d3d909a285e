const withinMs = 5_000;

/** Asks a process at its health address whether it is ready; answers what it says otherwise, or that nothing answers. */
export async function askReadiness(host: string, port: string): Promise<'ready' | { readonly because: string }> {
  const answer = await fetch(`http://${host}:${port}/readyz`, { signal: AbortSignal.timeout(withinMs) }).catch(
    () => undefined,
  );
  if (answer?.ok) return 'ready';
  return { because: (await answer?.text()) ?? `Nothing answers at ${host}:${port}.` };
}
