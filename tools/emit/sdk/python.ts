import { toCall } from './python-sync.ts';
import { docstring, makePythonTypes, pascal, pythonName } from './python-types.ts';
import { type Field, itemOf, nameOf, type OpenApi, type Operation, operationsOf } from './schema.ts';

const head = '# Emitted from the contract by `npm run gen`; changes are lost.\n';

/** The emitted layer of the Python SDK: types, one exception per code, and every operation, to await and to call. */
export function emitPythonSdk(document: OpenApi): ReadonlyMap<string, string> {
  const operations = operationsOf(document);
  const types = makePythonTypes('');
  for (const [name, schema] of Object.entries(document.components.schemas)) types.declare(schema, name);
  // What operations take and give inline is named after them, beside the rest.
  const shapes = operations.map((operation) => shapeOf(operation, types.typeOf));
  const models = `${head}from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from typing_extensions import NotRequired, TypeAlias, TypedDict


${types.named.join('\n\n')}`;
  const api = apiOf(operations, shapes);
  return new Map([
    ['__init__.py', head],
    ['models.py', models],
    ['errors.py', errorsOf(document)],
    ['operations.py', tableOf(operations)],
    ['async_api.py', api],
    ['api.py', toCall(api).replaceAll('.._aio.', '.._sync.')],
  ]);
}

interface Shape {
  readonly inputs: readonly { readonly field: Field; readonly type: string; readonly isPath: boolean }[];
  readonly output: string;
}
function shapeOf(operation: Operation, typeOf: ReturnType<typeof makePythonTypes>['typeOf']): Shape {
  const name = pascal(operation.id);
  const read = (isPath: boolean) => (field: Field) => ({
    field,
    isPath,
    type: typeOf(field.schema, `${name}${pascal(field.name)}`),
  });
  return {
    inputs: [
      ...operation.params.map(read(true)),
      ...[...operation.query, ...operation.body].map(read(false)),
      ...(operation.upload === undefined ? [] : [fileOf(operation.upload)]),
    ],
    output: operation.isText
      ? 'str'
      : typeOf(
          operation.isPaged ? itemOf(operation) : operation.output,
          `${name}${operation.isPaged ? 'Row' : 'Answer'}`,
        ),
  };
}

/** A file is sent as it is read, and read again from its start when the call is tried again. */
const fileOf = (name: string) => ({
  field: { name, required: true, schema: {} },
  isPath: false,
  type: 'bytes | BinaryIO',
});

function errorsOf(document: OpenApi): string {
  const codes = Object.entries(document['x-gpuaas-errors']);
  const classes = codes.map(
    ([code, { status, retryable, meaning }]) => `
class ${classOf(code)}(GpuaasError):
    ${docstring(meaning)}

    code = "${code}"
    status = ${status}
    retryable = ${retryable ? 'True' : 'False'}
`,
  );
  const table = codes.map(([code]) => `    "${code}": ${classOf(code)},\n`).join('');
  return `${head}from __future__ import annotations

from .._problem import GpuaasError

${classes.join('\n')}

by_code: dict[str, type[GpuaasError]] = {
${table}}
`;
}
/** \`allocation_not_found\` is an AllocationNotFound; what says so already is not said twice. */
const classOf = (code: string): string => `${pascal(code)}${code.endsWith('_error') ? '' : 'Error'}`;

function tableOf(operations: readonly Operation[]): string {
  const rows = operations.map((each) => {
    const facts = [
      `"${each.method}"`,
      `"${each.path}"`,
      ...(each.query.length > 0 ? [`query=(${each.query.map(({ name }) => `"${name}",`).join(' ')})`] : []),
      ...(each.keyed ? ['keyed=True'] : []),
      ...(each.inProject ? ['in_project=True'] : []),
      ...(each.method === 'DELETE' && each.body.length > 0 ? ['body=True'] : []),
      ...(each.upload === undefined ? [] : [`upload="${each.upload}"`]),
      ...(each.isPaged ? ['paged=True'] : []),
      ...(each.isStream ? ['stream=True'] : []),
      ...(each.isText ? ['text=True'] : []),
    ];
    return `    "${each.id}": Operation(${facts.join(', ')}),\n`;
  });
  const places = operations.map((each) => `    "${each.id}": ("${spaceOf(each)}", "${methodName(each)}"),\n`);
  return `${head}from __future__ import annotations

from .._operation import Operation

operations: dict[str, Operation] = {
${rows.join('')}}

places: dict[str, tuple[str, str]] = {
${places.join('')}}
`;
}

const spaceOf = (operation: Operation): string => nameOf(operation).space;
const methodName = (operation: Operation): string => pythonName(nameOf(operation).words.join('_'));

function apiOf(operations: readonly Operation[], shapes: readonly Shape[]): string {
  const spaces = new Map<string, string[]>();
  operations.forEach((operation, index) => {
    const space = spaceOf(operation);
    spaces.set(space, [...(spaces.get(space) ?? []), methodOf(operation, shapes[index] as Shape)]);
  });
  const classes = [...spaces].map(
    ([space, methods]) => `
class Async${pascal(space)}Api:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

${methods.join('\n')}`,
  );
  const members = [...spaces.keys()].map((space) => `        self.${space} = Async${pascal(space)}Api(transport)\n`);
  return `${head}from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, BinaryIO, Literal

from .._operation import UNSET, Options, StreamedEvent, Unset
from .._aio.paging import AsyncPages
from .._aio.transport import AsyncTransport
from .models import *  # noqa: F403

${classes.join('\n')}

class AsyncApi:
    """Every operation of the API, by what it is about."""

    def __init__(self, transport: AsyncTransport) -> None:
${members.join('')}`;
}

function methodOf(operation: Operation, { inputs, output }: Shape): string {
  if (inputs.some(({ field }) => field.name === 'options')) throw new Error(`${operation.id} takes an input "options"`);
  const ordered = [...inputs].sort((a, b) => Number(b.field.required) - Number(a.field.required));
  const paths = ordered.filter(({ isPath }) => isPath).map(({ field }) => `${pythonName(field.name)}: str`);
  const named = ordered
    .filter(({ isPath }) => !isPath)
    .map(({ field, type }) => `${pythonName(field.name)}: ${field.required ? type : `${type} | Unset = UNSET`}`);
  const given = ['self', ...paths, '*', ...named, 'options: Options | None = None'].join(', ');
  const input = `{${inputs.map(({ field }) => `"${field.name}": ${pythonName(field.name)}`).join(', ')}}`;
  const refusals = operation.errors.length > 0 ? `\n\n        Refusals: ${operation.errors.join(', ')}.` : '';
  const doc = `        """${operation.summary}\n\n        \`\`${operation.method} ${operation.path}\`\`${refusals}\n        """\n`;
  const name = methodName(operation);
  const call = `"${operation.id}", ${input}, options`;
  if (operation.isStream) {
    return `    def ${name}(${given}) -> AsyncIterator[StreamedEvent]:\n${doc}        return self._transport.stream(${call})\n`;
  }
  if (operation.isPaged) {
    return `    def ${name}(${given}) -> AsyncPages[${output}]:\n${doc}        return AsyncPages(self._transport, ${call})\n`;
  }
  return `    async def ${name}(${given}) -> ${output}:\n${doc}        answer: ${output} = await self._transport.call(${call})\n        return answer\n`;
}
