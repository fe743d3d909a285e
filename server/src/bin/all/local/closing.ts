/** What has been opened so far, to be closed in the reverse order. */
export type Closing = (() => Promise<void>)[];

/** Closes everything. What does not close must neither keep the rest open nor hide why everything is closed. */
export async function closeAll(closing: Closing): Promise<void> {
  for (const close of closing.splice(0).reverse()) {
    await close().catch((error: unknown) => {
      process.stderr.write(`\n  Not closed cleanly: ${error instanceof Error ? error.message : String(error)}\n`);
    });
  }
}
