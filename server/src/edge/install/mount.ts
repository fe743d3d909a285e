import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FindInstaller, OpenRelease } from '../../domains/nodes/index.ts';
import { Fault } from '../../kernel/fault.ts';
import { callerAddress } from '../gate/caller-address.ts';
import type { RateLimit } from '../http/admission/rate-limit.ts';
import { refuse } from '../http/failures.ts';

/** Below this lie installers and packages of the node agent. */
export const installPath = '/install/node-agent';
const fileName = /^([0-9a-f]{64})\.(sh|tar\.gz|deb)$/;

export interface InstallParts {
  readonly findInstaller: FindInstaller;
  readonly openPackage: OpenRelease;
  readonly rateLimit: RateLimit;
}

/**
 * What a machine fetches that is no node yet: the installer and the package, each by its digest. Neither holds a secret, and the
 * line that an operator pastes says the digest of all of it, so nobody has to prove anything here. What it costs is counted by
 * address.
 */
export function mountInstall(app: FastifyInstance, parts: InstallParts): void {
  app.get(`${installPath}/:file`, (request, reply) => answer(parts, request, reply));
}

async function answer(parts: InstallParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { allowed, limit, resetSeconds } = await parts.rateLimit(
    'downloads',
    { address: callerAddress(request.ip) },
    {},
  );
  if (!allowed) {
    reply.header('retry-after', String(resetSeconds));
    const words = `Too many downloads from this address: come back in ${resetSeconds} s.`;
    return refuse(reply, request.id, new Fault('rate_limit_exceeded', words, { lane: 'downloads', limit }));
  }
  const { file } = request.params as { readonly file: string };
  const [, digest, ending] = fileName.exec(file) ?? [];
  if (digest === undefined) return refuse(reply, request.id, absent());
  if (ending === 'sh') {
    const text = await parts.findInstaller(digest);
    if (text === undefined) return refuse(reply, request.id, absent());
    return reply.header('content-type', 'text/x-shellscript; charset=utf-8').send(text);
  }
  const found = await parts.openPackage(digest);
  if (!found) return refuse(reply, request.id, absent());
  return reply.headers({ 'content-type': found.contentType, 'content-length': found.size }).send(found.body);
}

const absent = () =>
  new Fault('agent_release_not_found', 'This is offered no more. Get a new line to paste: gpuaas ops node enrol NODE.');
