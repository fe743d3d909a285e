import type { NodeLogLine } from '@gpuaas/contract/internal';
import { logPushLimits, logTimePattern, type NodeLogMetadata, type NodeLogPush } from '@gpuaas/contract/node';
import { Fault } from '../../kernel/fault.ts';
import { redactText } from '../../kernel/telemetry/redact.ts';

const nanosecondsPerMs = 1_000_000n;
const wrong = (message: string) => new Fault('validation_error', message);

/**
 * The lines of a push, in its order. Its form was checked against the schema; what no schema says is checked here. Secrets are replaced
 * before a line goes anywhere.
 */
export function linesOf({ streams }: NodeLogPush): NodeLogLine[] | Fault<'validation_error'> {
  const lines: NodeLogLine[] = [];
  for (const { stream: labels, values } of streams) {
    if (labels.stream === 'console' && labels.allocation_id === undefined) {
      return wrong('The stream of a console names its allocation_id.');
    }
    for (const [at, line, metadata = {}] of values) {
      if (typeof at !== 'string' || !logTimePattern.test(at)) return wrong('A value begins with its time in digits.');
      if (typeof line !== 'string') return wrong('A value is its time, its line, and metadata.');
      if (typeof metadata === 'string') return wrong('The metadata of a value is an object.');
      lines.push(lineOf(labels, at, line, metadata));
    }
  }
  if (lines.length > logPushLimits.lines) return wrong(`A push holds ${logPushLimits.lines} lines at most.`);
  return lines;
}

function lineOf(
  { stream, level, allocation_id }: NodeLogPush['streams'][number]['stream'],
  at: string,
  line: string,
  metadata: NodeLogMetadata,
): NodeLogLine {
  return {
    at: new Date(Number(BigInt(at) / nanosecondsPerMs)).toISOString(),
    ...{ stream, level, line: redactText(line).slice(0, logPushLimits.line).toWellFormed() },
    ...(allocation_id !== undefined && { allocation_id }),
    ...metadata,
    // The label of a console says whose it is; metadata cannot say otherwise.
    ...(stream === 'console' && allocation_id !== undefined && { allocation_id }),
  };
}
