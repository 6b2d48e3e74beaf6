// Describes in JSON what a program throws: whether the reference would take it for a success (the message is false),
// whether the message is no string, and the ways to word it. The rules run it around a case's program.
async (program) => {
  const attempt = (f) => {
    try {
      return f();
    } catch {
      return undefined;
    }
  };
  try {
    await program();
  } catch (e) {
    const message = e?.message;
    const json = attempt(() => JSON.stringify(e));
    const words = [
      attempt(() => e.message),
      attempt(() => String(e.message)),
      attempt(() => JSON.stringify(e.message)),
      attempt(() => e.name),
      attempt(() => String(e)),
      json,
      attempt(() => JSON.parse(json)),
      attempt(() => JSON.stringify({ ...e })),
      attempt(() => JSON.stringify({ ...e.message })),
    ];
    return {
      silent: !message,
      odd: Boolean(message) && typeof message !== 'string',
      words: words.map((word) => (typeof word === 'string' ? word : null)),
    };
  }
}
