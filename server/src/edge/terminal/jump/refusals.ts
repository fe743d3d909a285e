import type { Connection } from 'ssh2';

/** RFC 4254: the reason of a channel that a server does not want to open. */
const administrativelyProhibited = 1;
const noShell = 'this is a jump host without a shell, commands or files; use it with ssh -J';
/** Words on a terminal of a person: one line of plain characters. */
const plain = (words: string): string => words.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 300);

/**
 * Gives refused channels their words. OpenSSH shows them to the person, and the library has no way to pass any: it calls this
 * function of its own with an empty text. Where another release of it has no such function, channels are refused without words.
 */
export function speakRefusals(connection: Connection): (reject: () => void, words: string) => void {
  const { _protocol: protocol } = connection as unknown as {
    _protocol?: { channelOpenFail?: (channel: number, reason: number, words: string) => void };
  };
  let next = noShell;
  if (protocol?.channelOpenFail) {
    const send = protocol.channelOpenFail.bind(protocol);
    protocol.channelOpenFail = (channel) => send(channel, administrativelyProhibited, plain(next));
  }
  return (reject, words) => {
    next = words;
    try {
      reject();
    } finally {
      next = noShell;
    }
  };
}
