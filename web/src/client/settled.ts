import { useEffect, useState } from 'react';

/** A value that has not changed for a while: what a person still types is not sent. */
export function useSettled<T extends string>(value: T, stillMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), stillMs);
    return () => clearTimeout(timer);
  }, [value, stillMs]);
  return settled;
}
