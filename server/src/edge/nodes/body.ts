import type { IncomingMessage } from 'node:http';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Fault } from '../../kernel/fault.ts';

export type BodyRefused = Fault<
  'payload_too_large' | 'invalid_request' | 'unsupported_media_type' | 'validation_error'
>;

/** The source of a body: the parsed value of at most so many bytes, or a refusal. */
export type BodySource = (limitBytes: number) => Promise<unknown>;

/** Takes a body of at most so many bytes and holds it against its schema. */
export function makeBodyReader<T>(schema: TSchema, limitBytes: number) {
  const valid = Compile(schema);
  return async (source: BodySource): Promise<T | BodyRefused> => {
    const body = await source(limitBytes);
    if (body instanceof Fault) return body as BodyRefused;
    if (valid.Check(body)) return body as T;
    const [first] = valid.Errors(body);
    return new Fault('validation_error', `The body is not as declared: ${first?.instancePath} ${first?.message}.`);
  };
}

export const bodyTooLarge = (limitBytes: number): BodyRefused =>
  new Fault('payload_too_large', `The body may have ${limitBytes} bytes.`);

export const bodyOf =
  (request: IncomingMessage): BodySource =>
  async (limitBytes) => {
    const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/json') {
      return new Fault('unsupported_media_type', 'Send the body as application/json.');
    }
    try {
      const text = await readText(request, limitBytes);
      return text === undefined ? bodyTooLarge(limitBytes) : parseKeepable(text);
    } catch (error) {
      // The connection closed in the middle of a body.
      if (request.destroyed && !request.complete) return new Fault('invalid_request', 'The body is incomplete.');
      throw error;
    }
  };

export function parseKeepable(text: string): unknown {
  try {
    return JSON.parse(text, refuseOdd);
  } catch {
    return new Fault('invalid_request', 'The body is not JSON that can be kept.');
  }
}

/**
 * Postgres stores neither zero bytes nor half surrogate pairs, and a member of this name is an attack on prototypes.
 */
function refuseOdd(name: string, value: unknown): unknown {
  if (name === '__proto__' || !isKeepable(name)) throw new SyntaxError('an odd name');
  if (typeof value === 'string' && !isKeepable(value)) throw new SyntaxError('an odd text');
  return value;
}
const isKeepable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

async function readText(request: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
