/** A file, and the folders it lay in below what was dropped or chosen. */
export interface Chosen {
  readonly file: File;
  /** `run-1/logs/a.txt`; the name alone for a single file. */
  readonly path: string;
}
/** Names from other systems may be in another normal form of Unicode, which the API refuses. */
const asNamed = (path: string): string => path.normalize('NFC');

export const chosenFiles = (files: FileList | null): Chosen[] =>
  [...(files ?? [])].map((file) => ({ file, path: asNamed(file.webkitRelativePath || file.name) }));

/** What was dropped, with everything in its folders. */
export async function droppedFiles(dropped: DataTransfer): Promise<Chosen[]> {
  // The list is emptied as soon as the event is over, so its entries are taken before the first wait.
  const entries = [...dropped.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return chosenFiles(dropped.files);
  return (await Promise.all(entries.map((entry) => filesIn(entry, '')))).flat();
}

async function filesIn(entry: FileSystemEntry, above: string): Promise<Chosen[]> {
  const path = `${above}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, path: asNamed(path) }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Chosen[] = [];
  // A reader answers a piece at a time, and an empty one at the end.
  for (;;) {
    const piece = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (piece.length === 0) return found;
    for (const each of piece) found.push(...(await filesIn(each, `${path}/`)));
  }
}
