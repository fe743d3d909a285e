import type { CallOptions, RecordingCast, RecordingView, TerminalRecordingInfo } from '@gpuaas/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { Button } from '../../parts/button.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Page } from '../../parts/page.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { counted, shortId, spellBytes } from '../../words/sizes.ts';
import { Player } from './player.tsx';
import { type Cast, readCast } from './transcript.ts';

type Purpose = 'watch' | 'download';
/** More than this is downloaded and played elsewhere. */
const mostCharacters = 32_000_000;

/** The calls of one kind of reader: of the tenant, or an operator, who says why. */
interface Calls {
  readonly isOperator: boolean;
  get(id: string, options: CallOptions): PromiseLike<TerminalRecordingInfo>;
  open(id: string, purpose: Purpose, reason: string, options: CallOptions): PromiseLike<RecordingView>;
  page(id: string, view: string, at: string | undefined): PromiseLike<RecordingCast>;
  verify(id: string, options: CallOptions): ReturnType<typeof api.recordings.verify>;
}
const placed = (id: string, view: string, at: string | undefined) => ({
  ...{ terminal_recording_id: id, view },
  ...(at !== undefined && { at }),
});
const ofTenant: Calls = {
  isOperator: false,
  get: (id, options) => api.recordings.get({ terminal_recording_id: id }, options),
  open: (id, purpose, _, options) => api.recordings.open({ terminal_recording_id: id, purpose }, options),
  page: (id, view, at) => api.recordings.cast(placed(id, view, at)),
  verify: (id, options) => api.recordings.verify({ terminal_recording_id: id }, options),
};
const ofOperators: Calls = {
  isOperator: true,
  get: (id, options) => api.adminRecordings.get({ terminal_recording_id: id }, options),
  open: (id, purpose, reason, options) =>
    api.adminRecordings.open({ terminal_recording_id: id, purpose, reason }, options),
  page: (id, view, at) => api.adminRecordings.cast(placed(id, view, at)),
  verify: (id, options) => api.adminRecordings.verify({ terminal_recording_id: id }, options),
};

async function readAll(
  calls: Calls,
  id: string,
  view: string,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  let text = '';
  let at: string | undefined;
  do {
    const page: RecordingCast = await calls.page(id, view, at);
    text = `${text}${page.cast}`;
    at = page.next ?? undefined;
  } while (at !== undefined && text.length <= mostCharacters);
  return { text, isCut: at !== undefined };
}

function save(id: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/x-asciicast' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: `${id}.cast` });
  link.click();
  URL.revokeObjectURL(address);
}

export const RecordingPage = () => <OneRecording calls={ofTenant} />;
export const AnyRecordingPage = () => <OneRecording calls={ofOperators} />;

function OneRecording({ calls }: { calls: Calls }) {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const [cast, setCast] = useState<Cast>();
  const [isCut, setCut] = useState(false);
  const [asked, setAsked] = useState<Purpose>();
  const found = useAsk(['recordings', id], (options) => calls.get(id, options));
  const verify = useAct('verify recording', (_: string, options) => calls.verify(id, options));
  const open = useAct(
    'open recording',
    async ({ purpose, reason }: { purpose: Purpose; reason: string }, options) => {
      const { view_id } = await calls.open(id, purpose, reason, options);
      return readAll(calls, id, view_id);
    },
    {
      done: ({ text, isCut: isPart }, { purpose }) => {
        setAsked(undefined);
        setCut(isPart);
        if (purpose === 'watch') setCast(readCast(text));
        else save(id, text);
      },
    },
  );
  const begin = (purpose: Purpose) => (calls.isOperator ? setAsked(purpose) : open.mutate({ purpose, reason: '' }));
  if (found.error) return <Problem error={found.error} again={() => void found.refetch()} />;
  if (!found.data) return <Loading rows={5} label="Loading the recording" />;
  const hasContent = found.data.kind === 'output' && found.data.state !== 'removed' && found.data.chunks > 0;
  return (
    <Page
      title={`Recording of ${found.data.name}`}
      lead={<Facts of={found.data} />}
      actions={
        hasContent && (
          <>
            <Button look="primary" busy={open.isPending} onClick={() => begin('watch')}>
              Watch
            </Button>
            <Button icon="download" busy={open.isPending} onClick={() => begin('download')}>
              Download
            </Button>
            <Button icon="check" busy={verify.isPending} onClick={() => verify.mutate(id)}>
              Verify
            </Button>
          </>
        )
      }
      shown={{
        operation: calls.isOperator ? 'admin_recording_get' : 'recording_get',
        input: { terminal_recording_id: id },
      }}
    >
      {open.error && asked === undefined && <Problem error={open.error} />}
      {verify.error && <Problem error={verify.error} />}
      {verify.data && <Verdict {...verify.data} />}
      {isCut && <p role="status">Only the beginning is loaded. The command line downloads all of it.</p>}
      {cast && <Player cast={cast} />}
      {!cast && <p className="text-dim">Watching and downloading are noted in the audit log of the organization.</p>}
      <Confirm
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title="Open the recording of a tenant?"
        verb="Open the recording"
        reason
        busy={open.isPending}
        error={open.error}
        onConfirm={(reason) => asked && open.mutate({ purpose: asked, reason })}
      >
        <p>The audit log of the tenant shows that you opened it, and the reason.</p>
      </Confirm>
    </Page>
  );
}

function Facts({ of }: { of: TerminalRecordingInfo }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <StateChip state={of.state} />
      <span>
        opened <Ago at={of.created_at} />
      </span>
      <span>{spellBytes(of.output_bytes)} of output</span>
      <span>{counted(of.chunks, 'chunk')}</span>
      <span>allocation {shortId(of.allocation_id)}</span>
      {of.records_input && <span>with what was typed</span>}
      {of.end_reason && <span>ended: {of.end_reason.replaceAll('_', ' ')}</span>}
    </span>
  );
}

function Verdict({
  intact,
  chunks,
  broken,
}: {
  intact: boolean;
  chunks: number;
  broken: { sequence: number; problem: string } | null;
}) {
  return (
    <p role="status" className={`rounded-lg px-4 py-3 ${intact ? 'bg-ok-soft text-ok' : 'bg-bad-soft text-bad'}`}>
      {intact
        ? `The recording is as it was stored: ${counted(chunks, 'chunk')} checked.`
        : `Chunk ${broken?.sequence} is not as it was stored. ${broken?.problem}`}
    </p>
  );
}
