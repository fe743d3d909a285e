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

export function findXids(lines: readonly string[]): Xid[] {
  return lines.flatMap((line) => {
    const [, device = '', code = ''] =
      /NVRM: Xid \(PCI:([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})[^)]*\): (\d{1,4})/i.exec(line) ?? [];
    const words = hardwareXids[Number(code)];
    return words === undefined ? [] : [{ device: device.toLowerCase(), code: Number(code), text: words }];
  });
}

/** Reads the journal, which an agent may do that may not read the kernel's own buffer. */
export function makeJournalLog(commands: Commands): KernelLog {
  return {
    async read() {
      const words = ['--dmesg', '--boot', '--no-pager', '--output=cat', '--lines=1000', '--grep=NVRM: Xid'] as const;
      const result = await commands.run(['journalctl', ...words], { limitMs: 10_000 });
      // It ends with 1 when nothing matched, and says nothing.
      const isEmpty = result.status === 1 && result.stderr.trim() === '';
      if (result.status !== 0 && !isEmpty)
        return { trouble: `journalctl cannot read the log of the kernel: ${complaintOf(result)}.` };
      return result.stdout.split('\n').filter((line) => line !== '');
    },
  };
}
