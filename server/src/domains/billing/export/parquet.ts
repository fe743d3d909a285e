import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { ExportLine } from './lines-store.ts';
import { columns } from './own-columns.ts';

/** A Parquet file, a row group for each batch of lines. What was written of it is handed on before the next batch is read. */
export async function* asParquet(batches: AsyncIterable<readonly ExportLine[]>): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, kind }) =>
        kind === 'whole'
          ? ({ name, type: 'INT64', repetition_type: 'OPTIONAL' } as const)
          : ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const),
      ),
    ],
  });
  const take = (): Uint8Array => {
    const taken = bytes.getBytes().slice();
    bytes.index = 0;
    return taken;
  };
  for await (const lines of batches) {
    await writer.write({
      columnData: columns.map(({ name, of }) => ({ name, data: lines.map((line) => of(line) ?? undefined) })),
      rowGroupSize: lines.length,
    });
    yield take();
  }
  await writer.finish();
  yield take();
}
