/** Start a server, unless the environment names one, and tell the workers; the end of it is returned. */
export default function setUp(): Promise<() => Promise<void>>;
