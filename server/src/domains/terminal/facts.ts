import { terminalLimits } from '@gpuaas/contract/terminal';
import { secondMs } from '../../kernel/units.ts';

/** Says which sessions opened, moved to another gateway copy or ended, by their ids. */
export const terminalChannel = 'gpuaas_terminal_sessions';

/** 256 bits: nobody guesses one. */
export const tokenBytes = 32;
export const tokenMs = terminalLimits.tokenSeconds * secondMs;
/** Longer than a token is good, so that a second use differs from a token that never was. */
export const mintRememberedMs = tokenMs + tokenMs;

/** What a gateway reports about a session is shown for as long as the gateway counts as alive. */
export const liveMs = terminalLimits.copyGoneSeconds * secondMs;
/** Gateways report at least this often, whatever they wait for. */
export const longestWaitMs = terminalLimits.waitSeconds * secondMs;

/** Sessions that one round of the guard ends. */
export const guardBatch = 100;
/** Of the sessions that count against a limit, so many are listed in the refusal. */
export const listedInRefusal = 32;

/** The first line of each chunk names it, so that a reader knows what it reads. */
export const chunkFormat = 'gpuaas.terminal-recording.1';
/** What the first chunk follows. */
export const beforeTheFirst = '0'.repeat(64);
/** Digits of a chunk's number in its key, so that keys sort as numbers do. */
export const sequenceDigits = 8;
/** Characters of the digest in the key: two copies that store the same number do not overwrite each other. */
export const digestInKey = 16;
/** What the header of each format says. */
export const castVersions = { v2: 2, v3: 3 } as const;
/** The policy counts in MiB; a MiB is what it is. */
export const bytesPerMib = 1_024 * 1_024;

/** Stored bytes that one page of a recording is made from, at most; one chunk is always answered. */
export const pageBytes = 1_048_576;
/** Chunks of one page, however small they are. */
export const pageChunks = 64;
/** How long a person may read on after opening a recording; then it is opened, and noted, again. */
export const viewSeconds = 3_600;
/** 128 bits: a view cannot be guessed. */
export const viewBytes = 16;

/** Recordings that one round of the retention removes. */
export const retentionBatch = 20;

/** Of the allocations that a name at the jump host may mean, so many are looked at: two are enough to refuse the name. */
export const mostCandidates = 16;
/** An SSH connection has no screen here; sessions have a size all the same. */
export const jumpSize = { columns: 80, rows: 24 } as const;

/** A retired host key is still listed for this long, because a gateway copy may still show it; a certificate lives no longer. */
export const retiredSeconds = 3_600;
/** OpenSSH draws 32 random bytes for each certificate. */
export const nonceBytes = 32;
/** A certificate is good from a minute ago on, for machines whose clock is behind. */
export const clockSkewSeconds = 60;
/** Certificates that expired this long ago are removed when the next one is signed; the audit log keeps what they were. */
export const certificateKeptSeconds = 604_800;
/** The serial number of a certificate has 64 bits. */
export const serialBytes = 8;
/** Machines take eight authorities in one task; one more than these may be announced. */
export const mostLivingKeys = 7;
