import type { WriteRoute } from '@gpuaas/contract';
import type { StoredReplies } from '../../../ports/database/port.ts';
import type { Answered } from '../answers.ts';
import { refuseUpload } from '../body/upload.ts';
import { fingerprintOf } from '../idempotency.ts';
import type { Passed } from './passed.ts';
import { replay } from './replay.ts';

/** Answers a file: what its headers show to be wrong, and a repetition, are answered before its first byte is read. */
export function makeAnswerReceive(
  route: WriteRoute,
  replies: StoredReplies,
  write: (passed: Passed) => Promise<Answered>,
) {
  return async (passed: Passed, upload: () => AsyncIterable<Uint8Array>): Promise<Answered> => {
    const { request, answers, viewer, key, input } = passed;
    const refused = refuseUpload(route, request, input.query);
    if (refused) return answers.problem(refused);
    const find = () => (key === undefined ? undefined : replies.find(viewer.actorId, route.id, key));
    const earlier = await find();
    if (earlier) return replay(earlier, fingerprintOf(request), answers);
    const outcome = await write({ ...passed, input: { ...input, body: upload() } as unknown as Passed['input'] });
    // The same request may have succeeded on another connection meanwhile, and is then what this one was refused for.
    const meanwhile = outcome.status === 409 ? await find() : undefined;
    return meanwhile ? replay(meanwhile, fingerprintOf(request), answers) : outcome;
  };
}
