/** A host name label has no more, by RFC 1035. */
export const maxNameLength = 63;
