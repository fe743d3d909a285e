export interface Guest {
  readonly hostname: string;
  /** What a shell says first. No quotes. */
  readonly banner: string;
  /** Programs that are there beside those of this computer, by name. */
  readonly programs: Readonly<Record<string, string>>;
}

export interface UidRange {
  readonly first: number;
  readonly count: number;
}
/** Where systemd puts users that live for a moment: no distribution gives these ids to people. */
export const unusedUids: UidRange = { first: 61_184, count: 4_336 };

/** In the environment of every process of a guest. */
export const marker = 'GPUAAS_ALLOCATION';
export const isRoot = (): boolean => process.getuid?.() === 0;
