import { open } from 'node:fs/promises';
import type { Gpuaas, RecordingCast, RecordingView } from '@gpuaas/sdk';
import type { Run, Session } from '../command.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { makeHarmless } from './harmless.ts';

type Format = 'v2' | 'v3';
type Event = readonly [seconds: number, kind: string, text: string];
interface Opened {
  readonly view: RecordingView;
  /** All pages, one after the other. */
  pages(): AsyncIterable<string>;
}

/** Opens a recording, of the caller's organization or of any, and reads it page by page. */
async function openRecording(session: Session, isOperator: boolean, purpose: 'watch' | 'download', format: Format) {
  const api: Gpuaas = await session.api();
  const terminal_recording_id = session.arg(0);
  const reason = session.text('reason') ?? '';
  const view = isOperator
    ? await api.adminRecordings.open({ terminal_recording_id, purpose, reason })
    : await api.recordings.open({ terminal_recording_id, purpose });
  if (view.recording.kind === 'metadata') {
    throw new Failure(
      exitCodes.failed,
      'Nothing that the shell printed was recorded: policy keeps who, when and how much.',
    );
  }
  const read = (at: string | undefined): Promise<RecordingCast> => {
    const query = { terminal_recording_id, view: view.view_id, format, ...(at !== undefined && { at }) };
    return isOperator ? api.adminRecordings.cast(query) : api.recordings.cast(query);
  };
  const opened: Opened = {
    view,
    async *pages() {
      let at: string | undefined;
      do {
        const page = await read(at);
        yield page.cast;
        at = page.next ?? undefined;
      } while (at !== undefined);
    },
  };
  return opened;
}

const download =
  (isOperator: boolean): Run =>
  async (session) => {
    const format = session.text('format') ?? 'v2';
    if (format !== 'v2' && format !== 'v3') throw usageFailure('--format is v2 or v3.');
    const { view, pages } = await openRecording(session, isOperator, 'download', format);
    const path = session.text('save') ?? `${view.recording.id}.cast`;
    // What is there already is not overwritten.
    const file = await open(path, 'wx', 0o600).catch((cause: Error) => {
      throw usageFailure(`${path} cannot be written: ${cause.message}`, 'Choose another --save.');
    });
    try {
      for await (const page of pages()) await file.write(page);
    } finally {
      await file.close();
    }
    session.say(`Saved to ${path}. asciinema play ${path} plays it.`);
    return undefined;
  };

/** Longer pauses are shortened: nobody watches a person think. */
const longestPauseSeconds = 2;
const afterwards = '\u001b[0m\u001b[?25h\u001b[?1049l\r\n';

const play =
  (isOperator: boolean): Run =>
  async (session) => {
    const speed = Number(session.text('speed') ?? '1');
    if (!(speed > 0 && speed <= 1_000)) throw usageFailure('--speed is a number above 0.');
    const sleep = session.around.parts?.sleep ?? ((ms: number) => new Promise<void>((done) => setTimeout(done, ms)));
    const { view, pages } = await openRecording(session, isOperator, 'watch', 'v2');
    const { stdout } = session.around;
    const pass = makeHarmless();
    session.say(`${view.recording.name}, ${view.recording.began_at ?? 'not begun'}. Ctrl-C stops.`);
    let before = 0;
    try {
      for await (const [seconds, kind, text] of eventsOf(pages())) {
        const pause = Math.min(longestPauseSeconds, Math.max(0, seconds - before)) / speed;
        before = Math.max(before, seconds);
        if (kind !== 'o') continue;
        if (pause > 0) await sleep(pause * 1_000);
        stdout.write(pass(text));
      }
    } finally {
      if (stdout.isTTY === true) stdout.write(afterwards);
    }
    return exitCodes.ok;
  };

async function* eventsOf(pages: AsyncIterable<string>): AsyncIterable<Event> {
  for await (const page of pages) {
    for (const line of page.split('\n')) if (line.startsWith('[')) yield JSON.parse(line) as Event;
  }
}

export const playOwn = play(false);
export const playAny = play(true);
export const downloadOwn = download(false);
export const downloadAny = download(true);
