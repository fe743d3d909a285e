import { type Connection, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { Check } from 'typebox/schema';
import type { Ids } from '../../../kernel/id.ts';
import { asJson } from '../json.ts';
import type { Sagas } from '../port.ts';
import { isSealedBy, readToken } from '../token.ts';
import type { findRun } from './memo.ts';
import { closedNote } from './names.ts';

/** Gives an answer to the run that waits for it. Of two answers the history of the run says which came first. */
export async function answerRun(
  server: {
    readonly connection: Connection;
    readonly namespace: string;
    readonly find: (run: string) => ReturnType<typeof findRun>;
    readonly ids: Ids;
  },
  token: string,
  value: unknown,
): Promise<Awaited<ReturnType<Sagas['answer']>>> {
  const parts = readToken(token);
  const run = parts && (await server.find(parts.run));
  const schema = parts && run?.memo.answers[parts.step];
  if (!parts || !run || !schema || !isSealedBy(run.memo.secret, parts)) return 'unknown';
  if (!Check(schema, value)) return 'invalid';
  const before = await readVerdict(server, parts.run, parts.step, false);
  if (before) return before === 'closed' ? 'unknown' : 'already answered';
  const by = server.ids.next();
  try {
    await run.handle.signal('answer', parts.step, by, asJson(value, 'the answer'));
  } catch (error) {
    // The run has ended, so nobody waits any more.
    if (error instanceof WorkflowNotFoundError) return 'unknown';
    throw error;
  }
  const verdict = await server.connection.withDeadline(Date.now() + hiddenForMs, () =>
    readVerdict(server, parts.run, parts.step, true),
  );
  if (verdict === undefined || verdict === 'closed') return 'unknown';
  return verdict.by === by ? 'accepted' : 'already answered';
}

type Verdict = { readonly by: string } | 'closed' | undefined;

/** A worker's turn may hide signals this long, until the engine takes the turn away. */
const hiddenForMs = 20_000;

/**
 * Which came first in the run's history: the answer, or the note that the wait is closed. A signal that arrives during
 * a worker's turn is recorded after it; with `patient`, this waits for that, woken by the engine.
 */
async function readVerdict(
  { connection, namespace }: { readonly connection: Connection; readonly namespace: string },
  run: string,
  step: string,
  patient: boolean,
): Promise<Verdict> {
  let nextPageToken: Uint8Array | undefined;
  for (;;) {
    const page = await connection.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId: run },
      waitNewEvent: patient,
      ...(nextPageToken ? { nextPageToken } : {}),
    });
    for (const event of page.history?.events ?? []) {
      const signal = event.workflowExecutionSignaledEventAttributes;
      if (signal?.signalName === 'answer') {
        const [answered, by] = (signal.input?.payloads ?? []).map((payload) =>
          defaultPayloadConverter.fromPayload<unknown>(payload),
        );
        if (answered === step) return { by: String(by) };
      }
      const noted = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields;
      if (noted && closedNote(step) in noted) return 'closed';
    }
    if (!page.nextPageToken?.length) return undefined;
    nextPageToken = page.nextPageToken;
  }
}
