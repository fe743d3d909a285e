/** As much of a comment as is kept. */
export const maxComment = 200;
/** Longer keys take OpenSSH itself seconds to check, and no client makes them. */
export const maxRsaBits = 16_384;
