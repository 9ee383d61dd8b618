// The command that `mockserver exec` runs: it says where the server is, and lasts until its input ends. The system
// closes that when the process ends that started it, however it ends.

const { MOCKSERVER_URL, MOCKSERVER_CONTROL_TOKEN } = process.env;
process.stdout.write(`${JSON.stringify({ MOCKSERVER_URL, MOCKSERVER_CONTROL_TOKEN })}\n`);
process.stdin.resume().on("end", () => process.exit(0));
// Its reader may be gone already.
process.stdout.on("error", () => process.exit(0));
