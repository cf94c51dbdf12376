/** One line of JSON an event on standard error. Fields are numbers, codes and addresses of ours, never content or secrets. */
export type Log = (event: string, fields?: Readonly<Record<string, string | number | boolean | null>>) => void;

export function createLog(stream: { write(text: string): unknown }, clock: () => Date): Log {
  return (event, fields = {}) => {
    stream.write(`${JSON.stringify({ time: clock().toISOString(), event, ...fields })}\n`);
  };
}
