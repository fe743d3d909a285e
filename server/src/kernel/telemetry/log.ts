import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { redact } from './redact.ts';

/** JSON lines with a level, a service and whatever the caller knows. Everything passes the redactor on its way out. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(bindings: Record<string, unknown>): Log;
};
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export function makeLog(service: string, level: LogLevel, destination: DestinationStream): Log {
  const log = pino(
    {
      level,
      base: { service },
      messageKey: 'msg',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // The redactor has already made plain objects of errors, with types and causes.
      serializers: { err: (value: unknown) => value },
      hooks: {
        // By key and by value, on every path: the arguments of every call go through here before pino sees them.
        logMethod(args, method) {
          return Reflect.apply(method, this, args.map((arg) => redact(arg)) as Parameters<typeof method>);
        },
      },
    },
    destination,
  );
  // What a child carries is written with each of its lines; children of children inherit this.
  const { child } = log;
  log.child = function clean(this: Logger, bindings: object, ...rest: unknown[]) {
    return Reflect.apply(child, this, [redact(bindings), ...rest]);
  } as typeof child;
  return log;
}

/** Says nothing: for tests that look at effects. */
export const silentLog: Log = pino({ level: 'silent' });
