import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Run } from '../command.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { showOne } from '../show/output.ts';

const columns = ['id', 'version', 'digest', 'size_bytes', 'created_at'];

/** The digest is computed on both sides, so a damaged upload is refused. */
export const add: Run = async (session) => {
  const path = session.arg(0);
  const version = session.text('release-version');
  if (version === undefined) throw usageFailure('--release-version is required.', 'node-agent --version prints it.');
  const bytes = await readFile(path).catch(() => {
    throw usageFailure(`There is no file ${path} that can be read.`, 'node tools/dev/bundle-agent.ts builds one.');
  });
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const { adminFleet } = await session.api();
  showOne(session, await adminFleet.agentReleaseAdd({ version, digest, bundle: bytes.toString('base64') }), columns);
  return exitCodes.ok;
};
