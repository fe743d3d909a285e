import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { Run } from '../../command.ts';
import { exitCodes, usageFailure } from '../../failure.ts';
import { showOne } from '../../show/output.ts';

const columns = ['id', 'version', 'kind', 'arch', 'digest', 'size_bytes', 'created_at'];
/** How `npm run package-agent` names its files: all that has to be known about one. */
const packageName = /^gpuaas-node-agent-(.+)-linux-(x64|arm64)\.(tar\.gz|deb)$/;

/** The file is read twice, a piece at a time: for its digest, and to send it. The server computes the digest too. */
export const add: Run = async (session) => {
  const path = session.arg(0);
  const [, named, arch, ending] = packageName.exec(basename(path)) ?? [];
  const version = session.text('release-version') ?? named;
  if (version === undefined) {
    throw usageFailure('--release-version is required for a bundle.', 'node-agent --version prints it.');
  }
  const bundle = await openAsBlob(path).catch(() => {
    throw usageFailure(
      `There is no file ${path} that can be read.`,
      'npm run package-agent builds packages, node tools/dev/bundle-agent.ts a bundle.',
    );
  });
  const hash = createHash('sha256');
  for await (const piece of bundle.stream()) hash.update(piece);
  const digest = `sha256:${hash.digest('hex')}`;
  const { adminFleet } = await session.api();
  const added = await adminFleet.agentReleaseAdd({
    ...{ version, digest, size_bytes: bundle.size, bundle },
    ...(arch !== undefined && { arch: arch as 'x64' | 'arm64', kind: ending === 'deb' ? 'deb' : 'tarball' }),
  });
  showOne(session, added, columns);
  return exitCodes.ok;
};
