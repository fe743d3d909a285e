/** `141 GB`, as data sheets say it for memory that a driver counts in MiB. */
export const spellMemory = (mib: number): string => (mib >= 1024 ? `${Math.round(mib / 1024)} GiB` : `${mib} MiB`);

/** `1 GPU`, `4 GPUs`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** The last part of an id, enough to recognise it by. */
export const shortId = (id: string): string => (id.length > 13 ? `…${id.slice(-8)}` : id);

/** `release_failed` as people say it: `release failed`. */
export const plainWord = (word: string): string => word.replaceAll(/[_.]/g, ' ');
