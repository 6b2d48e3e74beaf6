async () => {
const program = (
PROGRAM
)
return typeof program === 'function' ? await program() : program
}
