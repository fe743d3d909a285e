import type { CallOptions, EventEnvelope, OperationFacts, StreamedEvent } from './operation.ts';
import { GpuaasError, GpuaasUnreachable } from './problem.ts';
import type { Transport } from './transport.ts';

/** A connection that ended is made again after this long, from the last event that was seen. */
const againMs = 1_000;

/** Server-Sent Events, resumed for as long as somebody reads. A refusal ends it; a broken connection does not. */
export async function* streamEvents(
  transport: Transport,
  facts: OperationFacts,
  input: Readonly<Record<string, unknown>>,
  call: CallOptions,
): AsyncGenerator<StreamedEvent> {
  let after = input['after'] as string | undefined;
  for (;;) {
    const given = { ...input, ...(after !== undefined && { after }) };
    try {
      const response = await transport.deliver(facts, transport.requestOf(facts, given, call), call);
      for await (const frame of readFrames(response)) {
        after = frame.id;
        if (frame.type !== 'ready') yield frame;
      }
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof GpuaasError || (error instanceof GpuaasUnreachable && after === undefined)) throw error;
    }
    if (input['follow'] === false) return;
    await transport.sleep(againMs, call.signal);
  }
}

async function* readFrames(response: Response): AsyncGenerator<StreamedEvent> {
  if (!response.body) return;
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    rest += text;
    const frames = rest.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const fields = new Map(
        frame.split('\n').map((line): [string, string] => {
          const at = line.indexOf(':');
          return [line.slice(0, at), line.slice(at + 1).trimStart()];
        }),
      );
      const [id, type, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
      if (id !== undefined && type !== undefined && data !== undefined) {
        yield { id, type, data: JSON.parse(data) as EventEnvelope };
      }
    }
  }
}
