/**
 * Where settings that must not be shown come from. Each source gives names of variables (`GPUAAS_SECRETS_KEY`) and their
 * values; a process asks all of them once, before it reads its configuration. A source that cannot give a configured value throws an error that names the place and never a value.
 */
export interface Secrets {
  /** The source, for messages. */
  readonly name: string;
  read(): Promise<Readonly<Record<string, string>>>;
}

export class SecretsFault extends Error {
  override readonly name = 'SecretsFault';
}

export const secretName = /^GPUAAS_[A-Z0-9_]{1,100}$/;
/** Larger than a keyring of many keys, and than a private key in PEM. */
export const maxSecretBytes = 64 * 1_024;

/** A value as a process uses it: editors and `echo` end files with a line break that nobody meant. */
export const trimmed = (text: string): string => text.replace(/\r?\n$/, '');
