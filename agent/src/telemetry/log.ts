/** What an agent says about itself. The server's log has this shape too, and serves agents that live in its process. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

export const levels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number];

/** JSON lines. Whatever a caller hands over, keys and tokens do not leave. */
export function makeLineLog(parts: {
  readonly level: LogLevel;
  readonly now: () => Date;
  readonly write: (line: string) => void;
}): Log {
  const say = (level: LogLevel) => (fields: object, message: string) => {
    if (levels.indexOf(level) < levels.indexOf(parts.level)) return;
    const line = { time: parts.now().toISOString(), level, service: 'node-agent', msg: message, ...plain(fields) };
    parts.write(`${JSON.stringify(line, hideSecrets)}\n`);
  };
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
}

const hidden = '[REDACTED]';
const secretName = /^(?:.*_)?(?:token|secret|password|passphrase|authorization|cookie|private_?key|key_pem|csr)$/i;
const secretText =
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)|gpuaas_[a-z]+_[A-Za-z0-9]{8,}|\bBearer\s+\S{8,}/g;
const longestText = 4_000;

export function hideSecrets(name: string, value: unknown): unknown {
  if (name !== '' && secretName.test(name)) return hidden;
  if (typeof value === 'string') return value.replace(secretText, hidden).slice(0, longestText);
  if (value instanceof Error) return plainError(value);
  return value;
}

export const plain = (fields: object): object => (fields instanceof Error ? { err: plainError(fields) } : fields);

function plainError(error: Error): object {
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && { code: error.code }),
    stack: error.stack,
    ...(error.cause !== undefined && { cause: error.cause }),
  };
}
