import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Run } from '../command.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { resolveOrganization } from '../resolve.ts';

/** Saves the PDF of a document, after comparing it with the digest that came along. */
export const download: Run = async (session) => {
  const { billing } = await session.api();
  const place = { organization_id: await resolveOrganization(session), document_id: session.arg(0) };
  const file = await billing.documentFileGet(place);
  const bytes = Buffer.from(file.content_base64, 'base64');
  if (createHash('sha256').update(bytes).digest('hex') !== file.sha256) {
    throw new Failure(exitCodes.failed, 'The file was damaged on its way. Try again.');
  }
  const path = session.text('save') ?? file.file_name;
  await writeFile(path, bytes).catch((cause: Error) => {
    throw usageFailure(`${path} cannot be written: ${cause.message}`, 'Choose another --save.');
  });
  session.say(`Saved to ${path}.`);
  return undefined;
};
