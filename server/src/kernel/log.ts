import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { redact } from './redact.ts';

/** JSON lines with a level, a service and whatever the caller knows. Everything passes the redactor on its way out. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(bindings: Record<string, unknown>): Log;
};
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export function makeLog(service: string, level: LogLevel, destination: DestinationStream): Log {
  return pino(
    {
      level,
      base: { service },
      messageKey: 'msg',
      timestamp: stdTimeFunctions.isoTime,
      // What a child carries is written with each of its lines, and is cleaned when the child is made.
      formatters: { level: (label) => ({ level: label }), bindings: (bindings) => redact(bindings) as typeof bindings },
      hooks: {
        // By key and by value, on every path: the arguments of every call go through here before pino sees them.
        logMethod(args, method) {
          return Reflect.apply(method, this, args.map((arg) => redact(arg)) as Parameters<typeof method>);
        },
      },
    },
    destination,
  );
}

/** Says nothing: for tests that look at effects. */
export const silentLog: Log = pino({ level: 'silent' });
