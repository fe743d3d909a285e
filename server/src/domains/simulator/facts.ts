/** The desk of the fleet is on this machine: whoever waits longer waits for something that is broken. */
export const deskTimeoutMs = 10_000;
