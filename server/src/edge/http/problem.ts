import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, errors } from '@gpuaas/contract';
import { Fault } from '../../kernel/fault.ts';
import { redact, redactText } from '../../kernel/telemetry/redact.ts';

/** RFC 9457, and the members that every refusal of ours carries. */
export function encodeProblem(fault: Fault, correlationId: string): { status: number; body: string } {
  const { status, meaning } = errors[fault.code];
  const body = JSON.stringify({
    // Relative, as RFC 9457 allows: it leads to the docs of whichever installation answered.
    type: `/docs/reference/errors#${fault.code}`,
    title: meaning,
    status,
    code: fault.code,
    message: redactText(fault.message),
    correlation_id: correlationId,
    ...(fault.details && { details: redact(fault.details) }),
  });
  return { status, body };
}

export const problemType = 'application/problem+json; charset=utf-8';

/** Fastify's own refusals, in our words. */
export const framework: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type', message: 'Send the body as application/json.' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large', message: 'The body is too large for this operation.' },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    code: 'invalid_request',
    message: 'The request says that it carries JSON, but the body is empty. Leave Content-Type out, or send {}.',
  },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'invalid_request', message: 'The body is not valid JSON.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'invalid_request', message: 'Content-Length does not fit the body.' },
  FST_ERR_BAD_URL: { code: 'invalid_request', message: 'The path is not a valid URL.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'validation_error', message: 'A part of the path is too long.' },
};

/** What never became a request (broken or oversized headers, a body that does not come) has no reply object, only a socket. */
export function answerUnreadable(
  error: Error & { readonly code?: string },
  socket: Socket,
  correlationId: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = encodeProblem(unreadable(error.code), correlationId);
  const lines = {
    ...headers,
    'x-request-id': correlationId,
    'content-type': problemType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
}

function unreadable(code: string | undefined): Fault {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Fault('request_timeout', 'The request did not arrive in time.');
  if (code === 'HPE_HEADER_OVERFLOW') return new Fault('invalid_request', 'The headers of the request are too large.');
  return new Fault('invalid_request', 'This is not a request that HTTP/1.1 allows.');
}
