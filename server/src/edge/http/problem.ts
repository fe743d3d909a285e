import { type ErrorCode, errors } from '@gpuaas/contract';
import type { Fault } from '../../kernel/fault.ts';
import { redact, redactText } from '../../kernel/redact.ts';

/** RFC 9457, and the members that every refusal of ours carries. */
export function encodeProblem(fault: Fault, correlationId: string): { status: number; body: string } {
  const { status, meaning } = errors[fault.code];
  const body = JSON.stringify({
    type: `urn:gpuaas:problem:${fault.code}`,
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
  FST_ERR_MAX_URI_LENGTH: { code: 'invalid_request', message: 'A part of the path is too long.' },
};
