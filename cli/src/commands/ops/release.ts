import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import type { Run } from '../../command.ts';
import { exitCodes, usageFailure } from '../../failure.ts';
import { showOne } from '../../show/output.ts';

const columns = ['id', 'version', 'digest', 'size_bytes', 'created_at'];

/** The file is read twice, a piece at a time: for its digest, and to send it. The server computes the digest too. */
export const add: Run = async (session) => {
  const path = session.arg(0);
  const version = session.text('release-version');
  if (version === undefined) throw usageFailure('--release-version is required.', 'node-agent --version prints it.');
  const bundle = await openAsBlob(path).catch(() => {
    throw usageFailure(`There is no file ${path} that can be read.`, 'node tools/dev/bundle-agent.ts builds one.');
  });
  const hash = createHash('sha256');
  for await (const piece of bundle.stream()) hash.update(piece);
  const digest = `sha256:${hash.digest('hex')}`;
  const { adminFleet } = await session.api();
  const added = await adminFleet.agentReleaseAdd({ version, digest, size_bytes: bundle.size, bundle });
  showOne(session, added, columns);
  return exitCodes.ok;
};
