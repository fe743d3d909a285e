import { type TSchema, Type } from 'typebox';

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Rows on a page.' })),
  cursor: Type.Optional(Type.String({ maxLength: 512, description: 'The cursor of the last page; opaque.' })),
};

export const page = <S extends TSchema>(item: S) =>
  Type.Object(
    {
      data: Type.Array(item),
      next_cursor: Type.Union([Type.String(), Type.Null()]),
      has_more: Type.Boolean(),
    },
    { additionalProperties: false },
  );
