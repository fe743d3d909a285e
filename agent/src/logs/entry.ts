import {
  logCorrelationPattern,
  logLevels,
  logPushLimits,
  logStreams,
  type NodeLogPush,
  type NodeLogValue,
} from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { hideSecrets, type LogLevel, plain } from '../telemetry/log.ts';

/** A line that waits to be pushed. */
const LogEntry = Type.Object({
  at: Type.String({ format: 'date-time' }),
  stream: Type.Enum([...logStreams]),
  level: Type.Enum([...logLevels]),
  line: Type.String({ maxLength: logPushLimits.line }),
  task_id: Type.Optional(Type.String()),
  allocation_id: Type.Optional(Type.String()),
  correlation_id: Type.Optional(Type.String()),
});
export type LogEntry = Static<typeof LogEntry>;
const check = Compile(LogEntry);
export const isEntry = (value: unknown): value is LogEntry => check.Check(value);

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const correlation = new RegExp(logCorrelationPattern);
const named = (name: string, value: unknown, shape: RegExp) =>
  typeof value === 'string' && shape.test(value) ? { [name]: value } : {};

/** What the agent says, with the ids that lines are found by beside it. */
export function entryOf(level: LogLevel, at: Date, fields: object, message: string): LogEntry {
  const { task_id, allocation_id, correlation_id, ...rest } = plain(fields) as Readonly<Record<string, unknown>>;
  const more = JSON.stringify(rest, hideSecrets);
  return {
    ...{
      at: at.toISOString(),
      stream: 'agent',
      level,
      line: cleanLine(more === '{}' ? message : `${message} ${more}`),
    },
    ...named('task_id', task_id, uuid),
    ...named('allocation_id', allocation_id, uuid),
    ...named('correlation_id', correlation_id, correlation),
  };
}

export const consoleEntry = (at: Date, allocationId: string, text: string): LogEntry => ({
  ...{ at: at.toISOString(), stream: 'console', level: 'info', line: cleanLine(text), allocation_id: allocationId },
});

/** ESC and BEL, which begin and end what terminals take for orders: colours, movements, titles. */
const [esc, bel] = [27, 7].map((code) => String.fromCharCode(code));
const orders = new RegExp(`${esc}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^${bel}${esc}]*(?:${bel}|${esc}\\\\)?|.)`, 'g');
const withoutControls = (text: string): string => text.replace(/\p{Cc}/gu, (each) => (each === '\t' ? each : ''));

/** What a console says may be anything. What is kept is one line of text that can be shown on a terminal. */
export const cleanLine = (text: string): string =>
  withoutControls(text.replace(orders, '')).toWellFormed().slice(0, logPushLimits.line).toWellFormed();

/** A push in Loki's format: a stream for each set of labels, in the order of the lines. */
export function pushOf(entries: readonly LogEntry[]): NodeLogPush {
  const streams = new Map<string, { stream: NodeLogPush['streams'][number]['stream']; values: NodeLogValue[] }>();
  for (const { at, stream, level, line, allocation_id, task_id, correlation_id } of entries) {
    const owner = stream === 'console' && allocation_id !== undefined ? { allocation_id } : {};
    const key = `${stream} ${level} ${owner.allocation_id ?? ''}`;
    const found = streams.get(key) ?? { stream: { stream, level, ...owner }, values: [] };
    streams.set(key, found);
    const known = {
      ...(allocation_id !== undefined && { allocation_id }),
      ...(task_id !== undefined && { task_id }),
      ...(correlation_id !== undefined && { correlation_id }),
    };
    found.values.push([`${Date.parse(at)}000000`, line, known]);
  }
  return { streams: [...streams.values()] };
}
