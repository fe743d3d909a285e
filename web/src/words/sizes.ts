/** `141 GB`: the size on the data sheet, from the MiB that a driver reports. */
export const spellMemory = (mib: number): string => (mib >= 1024 ? `${Math.round(mib / 1024)} GiB` : `${mib} MiB`);

/** `1 GPU`, `4 GPUs`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** The last part of an id, enough to recognise it by. */
export const shortId = (id: string): string => (id.length > 13 ? `…${id.slice(-8)}` : id);

/** `release_failed` in words: `release failed`. */
export const plainWord = (word: string): string => word.replaceAll(/[_.]/g, ' ');

/** `12 MB`, in steps of a thousand, as disks are sold. */
export function spellBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${units[step]}`;
}

/** `DriverReady` in words: `Driver ready`. */
export const spellCondition = (type: string): string =>
  type.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^Gpus\b/, 'GPUs');

/** A slug from a name: `Vision & Speech` becomes `vision-speech`. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');
