import { type Commands, complaintOf } from './commands.ts';

/** Lines of the kernel's log since the machine was started, or a sentence that says why there are none. */
export interface KernelLog {
  read(): Promise<readonly string[] | { readonly trouble: string }>;
}

export interface Xid {
  /** Without the function: the kernel names the whole device. */
  readonly device: string;
  readonly code: number;
  readonly text: string;
}

/**
 * Xid codes of the driver. Most codes are about a faulty program; these are about the GPU itself, and a host that has
 * one is not handed out before an operator has looked.
 */
const hardwareXids: Readonly<Record<number, string>> = {
  48: 'memory error that could not be corrected',
  62: 'internal halt',
  64: 'memory row could not be remapped',
  74: 'NVLink error',
  79: 'fallen off the bus',
  95: 'memory error that was not contained',
  119: 'firmware does not answer',
  120: 'firmware error',
  140: 'memory error that could not be recovered',
};

export const findXids = (lines: readonly string[]): Xid[] =>
  findAllXids(lines).flatMap(({ device, code }) => {
    const words = hardwareXids[code];
    return words === undefined ? [] : [{ device, code, text: words }];
  });

/** Every Xid, also those of faulty programs, oldest first. */
export const findAllXids = (lines: readonly string[]): Pick<Xid, 'device' | 'code'>[] =>
  lines.flatMap((line) => {
    const [, device, code] =
      /NVRM: Xid \(PCI:([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})[^)]*\): (\d{1,4})/i.exec(line) ?? [];
    return device === undefined ? [] : [{ device: device.toLowerCase(), code: Number(code) }];
  });

/** The facility of the kernel itself. The kernel gives lines that a program writes to /dev/kmsg another one, never this one. */
const facilityOfKernel = '0';

interface JournalRecord {
  readonly MESSAGE?: string | readonly number[];
  readonly SYSLOG_FACILITY?: string;
  readonly _TRANSPORT?: string;
}

/**
 * The messages that the kernel wrote, out of records of the journal. Root can write any text into the kernel's log, so a tenant
 * who has a whole node could report a fault of a healthy GPU; such a line has the facility of a program and is dropped.
 */
export function messagesOfKernel(records: readonly string[]): string[] {
  return records.flatMap((line) => {
    const { MESSAGE: message, SYSLOG_FACILITY: facility, _TRANSPORT: transport } = parsed(line);
    if (transport !== 'kernel' || facility !== facilityOfKernel || message === undefined) return [];
    return [typeof message === 'string' ? message : Buffer.from(message).toString()];
  });
}

function parsed(line: string): JournalRecord {
  try {
    return JSON.parse(line) as JournalRecord;
  } catch {
    return {};
  }
}

const question = [
  ...['--dmesg', '--boot', '--no-pager', '--output=json', '--output-fields=MESSAGE,SYSLOG_FACILITY,_TRANSPORT'],
  // The journal applies this before it counts lines, so that forged ones cannot push a true one out.
  ...['--lines=1000', '--grep=NVRM: Xid', 'SYSLOG_FACILITY=0'],
] as const;

/** Reads the journal, which an agent may do that may not read the kernel's own buffer. */
export function makeJournalLog(commands: Commands): KernelLog {
  return {
    async read() {
      const result = await commands.run(['journalctl', ...question], { limitMs: 10_000 });
      // It ends with 1 when nothing matched, and says nothing.
      const isEmpty = result.status === 1 && result.stderr.trim() === '';
      if (result.status !== 0 && !isEmpty)
        return { trouble: `journalctl cannot read the log of the kernel: ${complaintOf(result)}.` };
      return messagesOfKernel(result.stdout.split('\n').filter((line) => line !== ''));
    },
  };
}
