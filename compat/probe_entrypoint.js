// Gives the entrypoint the reference's own method, evaluate.
(program) => {
  const value = async function evaluate() {};
  Object.defineProperty(Object.getPrototypeOf(this), 'evaluate', { value, writable: true, configurable: true });
  return program();
}
